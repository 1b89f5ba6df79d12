//! What an event does: switches turn, velocities jump.

use super::{CLEARLY, Event, EventKind, Events, Handled, Hit, Lasting, MAX_ROUNDS, Occasion, Of, Trouble};
use crate::formulations::{Formulate, Jump, MotionError};
use crate::integrate::StepError;
use crate::mechanism::HeldRow;

impl Events<'_> {
    /// Margins at the start, and whatever happens there at once.
    pub(in crate::simulation) fn begin<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        lasting: Option<&Lasting>,
    ) -> Result<Handled, Trouble> {
        let wrong = |source| StepError::System { t, source };
        let first = lasting.is_none();
        self.widen();
        self.evaluate(system, t, y).map_err(wrong)?;
        for (w, &value) in self.values.iter().enumerate() {
            let known = lasting.and_then(|lasting| lasting.truth(&self.key(self.watches[w].of)?));
            let watch = &mut self.watches[w];
            (watch.value, watch.span) = (value, value.abs());
            if let Some((truth, span)) = known {
                (watch.truth, watch.span) = (truth, span.max(value.abs()));
                continue;
            }
            // a lock engages at once, and so do changes; a run ends, and a lock lets go, only when something changes
            let at_once = match watch.of {
                Of::When(_) => first,
                Of::Change(_) | Of::Break(_) | Of::Snap(_) | Of::Mouth(..) => true,
                _ => false,
            };
            watch.truth = value > 0.0 && !at_once;
        }
        self.handle(system, t, y, None, if first { Occasion::Begin } else { Occasion::TakeOver })
    }

    /// Lets happen what happens at an instant: where a search has hit, or at a scheduled time. The state is on the
    /// constraints.
    pub(in crate::simulation) fn handle<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        hit: Option<&Hit>,
        occasion: Occasion,
    ) -> Result<Handled, Trouble> {
        let wrong = |source| StepError::System { t, source };
        let mut handled = Handled::default();
        let mut forced = hit.map(|hit| hit.watch);
        // what is scheduled for an instant has happened before another mechanism takes over
        let mut timed = occasion != Occasion::TakeOver;
        let mut begins = occasion != Occasion::Event;
        self.last = match t - self.last.0 <= 8.0 * f64::EPSILON * t.abs() {
            true => (t, self.last.1 + 1),
            false => (t, 0),
        };
        for round in 0.. {
            self.piles_up(t)?;
            if round + self.last.1 > MAX_ROUNDS {
                let last = self.among();
                return Err(Trouble::PileUp(format!(
                    "events set each other off without end at one instant, `{last}` among them"
                )));
            }
            self.evaluate(system, t, y).map_err(wrong)?;
            let mut rising = self.compare(t, true);
            if let Some(watch) = forced.take()
                && !rising.contains(&watch)
            {
                rising.push(watch);
                if self.condition(self.watches[watch].of).is_some() {
                    self.watches[watch].truth = true;
                }
            }
            let acting: Vec<Of> =
                rising.iter().map(|&w| self.watches[w].of).filter(|&of| self.acts(of)).collect();
            let mut changed = false;
            let (mut engage, mut impacts) = (Vec::new(), Vec::new());
            for (i, lock) in self.mechanism.events.locks.iter().enumerate() {
                let reported = |time: Option<f64>| timed && time == Some(t);
                if self.locked(i) && (acting.contains(&Of::Release(i)) || reported(lock.until)) {
                    self.switch(system, &lock.rows[0], false);
                    self.record(t, EventKind::Release, &lock.name, Some(lock.first), &lock.rows[0], 0.0);
                    changed = true;
                } else if !self.locked(i) && (acting.contains(&Of::When(i)) || reported(lock.from)) {
                    engage.push(i);
                }
            }
            for &of in &acting {
                match of {
                    Of::Stop(i) => {
                        handled.stops = true;
                        let name = self.mechanism.events.stops[i].text.clone();
                        self.list.push(Event { t, kind: EventKind::Stop, name, ..Event::default() });
                    }
                    Of::Lift(i) => {
                        self.lift(system, t, i);
                        changed = true;
                    }
                    Of::Limit(i, end) => impacts.push((i, end)),
                    Of::When(_) | Of::Release(_) | Of::Contact(_) | Of::Pair(_) => {}
                    Of::Change(_) | Of::Break(_) | Of::Snap(_) | Of::Mouth(..) => {
                        self.edit(t, of, &mut handled);
                    }
                }
            }
            if timed {
                self.timed_edits(t, &mut handled);
            }
            let start = std::mem::take(&mut begins);
            let blown = timed && self.blow(system, t, y).map_err(wrong)?;
            if blown {
                changed = true;
                self.evaluate(system, t, y).map_err(wrong)?;
            }
            let limits = blown && !self.bouncers.is_empty();
            if !engage.is_empty() || !impacts.is_empty() || start || limits {
                changed |= self.strike(system, t, y, &engage, &impacts, start).map_err(wrong)?;
            }
            let of_contacts = acting.iter().any(|of| matches!(of, Of::Contact(_) | Of::Pair(_)));
            if self.mechanism.has_contacts() && (of_contacts || changed || start) {
                let settled = self.settle(system, t, y, start).map_err(wrong)?;
                changed |= settled;
                if settled && !self.bouncers.is_empty() {
                    // contacts may have driven something into a limit
                    self.evaluate(system, t, y).map_err(wrong)?;
                    changed |= self.strike(system, t, y, &[], &[], false).map_err(wrong)?;
                }
            }
            timed = false;
            handled.changed |= changed;
            if !changed || handled.stops {
                break;
            }
        }
        Ok(handled)
    }

    pub(super) fn switch<F: Formulate>(&mut self, system: &mut F, row: &HeldRow, on: bool) {
        self.switches[row.switch] = on;
        self.ws.switches[row.switch] = on;
        system.switch(row.switch, on);
    }

    pub(super) fn record(
        &mut self,
        t: f64,
        kind: EventKind,
        name: &str,
        coordinate: Option<usize>,
        row: &HeldRow,
        impulse: f64,
    ) {
        let (name, turns) = (name.to_owned(), row.turns);
        self.list.push(Event { t, kind, name, coordinate, impulse, turns, ..Event::default() });
    }

    pub(super) fn lift<F: Formulate>(&mut self, system: &mut F, t: f64, i: usize) {
        let limit = &self.mechanism.events.limits[i];
        self.bouncers[i].rests = None;
        self.switch(system, &limit.row, false);
        let name = &self.mechanism.joints[limit.joint].name;
        self.record(t, EventKind::Lift, name, Some(limit.coordinate), &limit.row, 0.0);
    }

    /// Locks that engage and limits that are hit at an instant, all together: velocities jump. Tells whether anything
    /// changed. At the start of a run limits that are touched at rest count as well.
    pub(super) fn strike<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        engage: &[usize],
        hit: &[(usize, usize)],
        start: bool,
    ) -> Result<bool, MotionError> {
        let mechanism = self.mechanism;
        let (locks, limits) = (&mechanism.events.locks, &mechanism.events.limits);
        let auxiliary = system.work_index() + 1;
        let holds = auxiliary + mechanism.interactions.hints;
        for &i in engage {
            for row in &locks[i].rows {
                let (x, _) = self.ws.reading(&mechanism.interactions, row.coupling, t, &y[auxiliary..]);
                y[holds + row.hold] = x;
                self.switch(system, row, true);
            }
        }
        // (limit, end, approach)
        let mut struck: Vec<(usize, usize, f64)> = Vec::new();
        for (i, bouncer) in self.bouncers.iter().enumerate() {
            for end in 0..2 {
                let (gap, rate) = self.gap(i, end, t, &y[auxiliary..]);
                let reported = hit.contains(&(i, end));
                let touches = gap <= 10.0 * self.no_gap && (rate < 0.0 || (start && rate <= 0.0));
                if bouncer.rests.is_none() && (reported || touches) {
                    struck.push((i, end, rate));
                }
            }
        }
        // found by rounding: it is on its way out
        let leaves: Vec<_> = struck.extract_if(.., |&mut (.., rate)| rate > 0.0).collect();
        for (i, end, _) in leaves {
            self.bouncers[i].left[end] = Some((t, self.gap(i, end, t, &y[auxiliary..]).0));
        }
        if engage.is_empty() && struck.is_empty() {
            return Ok(false);
        }
        for &(i, end, _) in &struck {
            y[holds + limits[i].row.hold] = limits[i].range[end];
            self.switch(system, &limits[i].row, true);
        }
        let locked: Vec<(usize, f64)> =
            engage.iter().flat_map(|&i| locks[i].rows.iter().map(|row| (row.coupling, 0.0))).collect();
        // as if all that is struck stayed: how hard would it be pushed?
        let (still, stopped) = loop {
            let mut still = y.to_vec();
            let wanted: Vec<_> = locked
                .iter()
                .copied()
                .chain(struck.iter().map(|s| (limits[s.0].row.coupling, 0.0)))
                .collect();
            let stopped = self.jump(system, t, &mut still, &wanted)?;
            // what is struck together may be thrown off by the others: a limit never pulls
            let push = |&(i, end, _): &(usize, usize, f64)| {
                Self::push(end, stopped.impulses[limits[i].row.coupling])
            };
            let largest = struck.iter().map(|s| push(s).abs()).fold(0.0, f64::max);
            let worst = (0..struck.len()).min_by(|&a, &b| push(&struck[a]).total_cmp(&push(&struck[b])));
            match worst.filter(|&w| push(&struck[w]) < -CLEARLY * largest) {
                None => break (still, stopped),
                Some(w) => {
                    let (i, end, _) = struck.remove(w);
                    self.switch(system, &limits[i].row, false);
                    self.bouncers[i].left[end] = Some((t, self.gap(i, end, t, &y[auxiliary..]).0));
                }
            }
        };
        if engage.is_empty() && struck.is_empty() {
            return Ok(false);
        }
        let mut stays = vec![false; struck.len()];
        if !struck.is_empty() {
            system.observe(t, &still, &mut self.frame)?;
            for (stays, &(i, end, rate)) in stays.iter_mut().zip(&struck) {
                let row = limits[i].row.coupling;
                let push = Self::push(end, self.frame.multipliers[row]);
                let impulse = Self::push(end, stopped.impulses[row]);
                let bounce = limits[i].restitution * rate;
                let acceleration = push * -rate / impulse; // (E3)
                let low = 0.5 * bounce * bounce / acceleration < self.lowest_flight;
                let short = -2.0 * bounce / acceleration < self.shortest_flight;
                *stays = push > self.no_force && (bounce == 0.0 || low || short);
            }
        }
        let jump = if stays.iter().all(|&stays| stays) {
            y.copy_from_slice(&still);
            stopped
        } else {
            let mut wanted = locked;
            for (&stays, &(i, end, rate)) in stays.iter().zip(&struck) {
                let after = if stays { 0.0 } else { -limits[i].restitution * rate }; // (E2)
                wanted.push((limits[i].row.coupling, if end == 0 { after } else { -after }));
            }
            self.jump(system, t, y, &wanted)?
        };
        let first = self.list.len();
        for &i in engage {
            for (row, number) in locks[i].rows.iter().zip(locks[i].first..) {
                let impulse = -row.scale * jump.impulses[row.coupling];
                self.record(t, EventKind::Lock, &locks[i].name, Some(number), row, impulse);
            }
        }
        for (&stays, &(i, end, rate)) in stays.iter().zip(&struck) {
            let limit = &limits[i];
            let impulse = -limit.row.scale * jump.impulses[limit.row.coupling];
            let kind = if stays { EventKind::Rest } else { EventKind::Impact };
            if stays {
                self.bouncers[i].rests = Some(end);
            } else {
                self.switch(system, &limit.row, false);
                self.bouncers[i].left[end] = Some((t, self.gap(i, end, t, &y[auxiliary..]).0));
            }
            if stays || rate != 0.0 {
                let name = &mechanism.joints[limit.joint].name;
                self.record(t, kind, name, Some(limit.coordinate), &limit.row, impulse);
            }
        }
        if let Some(event) = self.list.get_mut(first) {
            event.energy = jump.work;
        }
        Ok(true)
    }

    /// A jump in which no limit pulls at what rests on it: such a limit lets go before.
    pub(super) fn jump<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        wanted: &[(usize, f64)],
    ) -> Result<Jump, MotionError> {
        let limits = &self.mechanism.events.limits;
        loop {
            let mut trial = y.to_vec();
            let jump = system.jump(t, &mut trial, wanted)?;
            let largest = jump.impulses.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let pull = |i: usize| {
                let end = self.bouncers[i].rests?;
                let push = Self::push(end, jump.impulses[limits[i].row.coupling]);
                (push < -CLEARLY * largest).then_some(i)
            };
            match (0..self.bouncers.len()).find_map(pull) {
                Some(i) => self.lift(system, t, i),
                None => {
                    y.copy_from_slice(&trial);
                    return Ok(jump);
                }
            }
        }
    }
}
