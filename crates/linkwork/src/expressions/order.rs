//! The order in which named values can be computed that use each other.

/// An order in which each item comes after those it uses; tells the circles.
pub(crate) fn order<'u>(
    count: usize,
    uses: impl Fn(usize) -> &'u [usize],
    mut circle: impl FnMut(&[usize]),
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; count];
    let mut order = Vec::with_capacity(count);
    for root in 0..count {
        // the way from the root, each with how many of its uses have been followed
        let mut way = vec![(root, 0)];
        while let Some((i, followed)) = way.last_mut() {
            let i = *i;
            if *followed == 0 && marks[i] == Mark::New {
                marks[i] = Mark::Open;
            } else if *followed == 0 {
                way.pop();
                continue;
            }
            match uses(i).get(*followed) {
                Some(&other) => {
                    *followed += 1;
                    match marks[other] {
                        Mark::New => way.push((other, 0)),
                        Mark::Done => {}
                        Mark::Open => {
                            let from = way.iter().position(|&(k, _)| k == other).unwrap_or(0);
                            circle(&way[from..].iter().map(|&(k, _)| k).collect::<Vec<_>>());
                        }
                    }
                }
                None => {
                    marks[i] = Mark::Done;
                    order.push(i);
                    way.pop();
                }
            }
        }
    }
    order
}

/// A circle longer than this is reported with its middle left out.
const MAX_CIRCLE: usize = 10;

/// A circle in words: `a -> b -> a`.
pub(crate) fn circle_text<'n>(circle: &[usize], name: impl Fn(usize) -> &'n str) -> String {
    let mut names: Vec<&str> = circle.iter().take(MAX_CIRCLE).map(|&i| name(i)).collect();
    if circle.len() > MAX_CIRCLE {
        names.push("...");
    }
    names.push(name(circle[0]));
    names.join(" -> ")
}
