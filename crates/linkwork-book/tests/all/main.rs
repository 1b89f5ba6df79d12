//! The book, its gallery and the models that it prints.

mod book;
mod gallery;
mod models;
