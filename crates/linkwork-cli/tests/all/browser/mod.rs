//! The report and the live viewer in a real browser: headless Chromium, by its DevTools protocol.
//!
//! Where no browser can be found these tests say so and pass; with `LINKWORK_BROWSER=required` they fail then, as in `.ci/run`, which installs one. `CHROMIUM`
//! names another program. Pictures are kept in the folder that `LINKWORK_PICTURES` names, if it does.

mod chrome;
mod live;
mod picture;
mod report;
mod results;
