//! The book: its pages, gallery, search and references, and that it says what the code does.

mod book;
mod command;
mod errors;
mod gallery;
mod models;
mod references;
mod search;
