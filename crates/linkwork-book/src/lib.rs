//! The documentation as a book: pages of HTML with a list of chapters, made from the Markdown files of the repository. Every link is checked.
//!
//! A page is named by the path of its source in the repository, with `/` between its parts, such as `docs/theory/points.md`.

mod book;
mod fault;
mod files;
mod gallery;
mod layout;
mod links;
mod page;
mod references;
mod search;
mod slim;
mod summary;

pub use book::{Book, Built};
pub use fault::{BookError, Fault};
pub use gallery::{Gallery, MAX_PICTURE, MAX_PICTURES, Maker, Shown};
pub use page::{Heading, Link, Page, code_blocks, is_whole_model};
pub use references::{References, Work};
pub use search::Section;
