//! Where y and all S_j stand in one vector.

use std::ops::Range;

/// y, then the derivatives of variables in blocks of several side by side; what is left of the last block is zero.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Components of y.
    pub n: usize,
    /// Number of variables.
    pub variables: usize,
    blocks: Vec<Block>,
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub variables: Range<usize>,
    pub lanes: usize,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Layout {
    /// For y of n components and blocks of variables with their lanes.
    pub fn new(n: usize, blocks: impl IntoIterator<Item = (Range<usize>, usize)>) -> Self {
        let mut layout = Layout { n, variables: 0, blocks: Vec::new() };
        let mut next = n;
        for (variables, lanes) in blocks {
            layout.variables = variables.end;
            let range = next..next + n * lanes;
            next = range.end;
            layout.blocks.push(Block { variables, lanes, range });
        }
        layout
    }

    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Number of components of the whole.
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(self.n, |block| block.range.end)
    }

    /// Where the derivative of component i by variable j stands.
    pub fn at(&self, j: usize, i: usize) -> usize {
        // all blocks but the last are full, and as wide
        let block = &self.blocks[j / self.blocks[0].lanes];
        block.range.start + i * block.lanes + (j - block.variables.start)
    }
}
