//! Beams: elastic bodies along a line, whose cross-sections are rigid.

use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

/// How positions and axes of sections are interpolated in an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BeamOrder {
    /// Between two sections: errors fall with the square of the length of an element.
    Linear,
    /// Between three: errors fall with its fourth power.
    #[default]
    Quadratic,
}

impl BeamOrder {
    /// All of them.
    pub const ALL: [BeamOrder; 2] = [BeamOrder::Linear, BeamOrder::Quadratic];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            BeamOrder::Linear => "linear",
            BeamOrder::Quadratic => "quadratic",
        }
    }

    /// Sections from one end of an element to the other, less one.
    pub fn pieces(self) -> usize {
        match self {
            BeamOrder::Linear => 1,
            BeamOrder::Quadratic => 2,
        }
    }
}

/// A material, by its usual values at room temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// E = 210 GPa, ν = 0.3, 7850 kg/m³.
    Steel,
    /// E = 70 GPa, ν = 0.33, 2700 kg/m³.
    Aluminium,
    /// E = 114 GPa, ν = 0.34, 4430 kg/m³ (Ti-6Al-4V).
    Titanium,
    /// E = 105 GPa, ν = 0.34, 8500 kg/m³.
    Brass,
    /// E = 3.2 GPa, ν = 0.37, 1200 kg/m³.
    Acrylic,
}

impl Material {
    /// All of them.
    pub const ALL: [Material; 5] =
        [Material::Steel, Material::Aluminium, Material::Titanium, Material::Brass, Material::Acrylic];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            Material::Steel => "steel",
            Material::Aluminium => "aluminium",
            Material::Titanium => "titanium",
            Material::Brass => "brass",
            Material::Acrylic => "acrylic",
        }
    }

    /// Young's modulus, Pa; Poisson's ratio; density, kg/m³.
    pub fn values(self) -> [f64; 3] {
        match self {
            Material::Steel => [210e9, 0.3, 7850.0],
            Material::Aluminium => [70e9, 0.33, 2700.0],
            Material::Titanium => [114e9, 0.34, 4430.0],
            Material::Brass => [105e9, 0.34, 8500.0],
            Material::Acrylic => [3.2e9, 0.37, 1200.0],
        }
    }
}

keys! {
    /// The cross-section of a beam: `width` and `height`, `diameter`, or `diameter` and `inner_diameter`. Two numbers are the size at `from` and at `to`; it changes evenly between them.
    BeamSection {
        /// Size of a rectangle across its `height`, m; in the plane out of it.
        width: Option<[f64; 2]> => optional Ends<1, 0, 0>,
        /// Size of a rectangle towards `up`, m; in the plane within it.
        height: Option<[f64; 2]> => optional Ends<1, 0, 0>,
        /// Diameter of a round section, m.
        diameter: Option<[f64; 2]> => optional Ends<1, 0, 0>,
        /// Inner diameter of a tube, m.
        inner_diameter: Option<[f64; 2]> => optional Ends<1, 0, 0>,
    }
}

#[cfg(feature = "file")]
part!(BeamSection);

#[cfg(feature = "file")]
impl Rules for BeamSection {}

impl BeamSection {
    /// A rectangle: size across the height, and towards `up`, m.
    pub fn rectangle(width: f64, height: f64) -> Self {
        BeamSection { width: Some([width; 2]), height: Some([height; 2]), ..Self::none() }
    }

    /// A disc of this diameter, m.
    pub fn round(diameter: f64) -> Self {
        BeamSection { diameter: Some([diameter; 2]), ..Self::none() }
    }

    /// A tube of these diameters, m.
    pub fn tube(diameter: f64, inner: f64) -> Self {
        BeamSection { inner_diameter: Some([inner; 2]), ..Self::round(diameter) }
    }

    fn none() -> Self {
        BeamSection { width: None, height: None, diameter: None, inner_diameter: None }
    }

    /// Makes its sizes at `to` those of another section of the same shape.
    pub fn tapered_to(mut self, end: &BeamSection) -> Self {
        for (mine, other) in [
            (&mut self.width, end.width),
            (&mut self.height, end.height),
            (&mut self.diameter, end.diameter),
            (&mut self.inner_diameter, end.inner_diameter),
        ] {
            if let (Some([_, last]), Some([_, other])) = (mine.as_mut(), other) {
                *last = other;
            }
        }
        self
    }
}

keys! {
    /// A geometrically exact beam: rigid cross-sections with elastic elements between them, from a point to another.
    Beam(name) {
        /// The point where it begins; sections are counted from here.
        from: String => required String,
        /// The point where it ends.
        to: String => required String,
        /// Points that its axis passes through, in order: an arc of a circle through one, a smooth curve through several. There is a section at each, which bodies may share.
        points: Vec<String> => default Vec<String> = Vec::new(),
        /// How many elements, about; 8 if left out. They are shared out among the spans between its points by length.
        elements: Option<usize> => optional Count,
        /// quadratic (the default): three sections an element. linear: two.
        order: BeamOrder => default Choice<BeamOrder> = BeamOrder::Quadratic,
        /// Its cross-section.
        section: Option<BeamSection> => optional BeamSection,
        /// Its material: steel, aluminium, titanium, brass or acrylic.
        material: Option<Material> => optional Choice<Material>,
        /// Young's modulus, Pa; that of the material if left out.
        youngs_modulus: Option<f64> => optional Si<-1, 1, -2>,
        /// Poisson's ratio; that of the material if left out, 0.3 without a material.
        poisson_ratio: Option<f64> => optional Plain,
        /// Density, kg/m^3; that of the material if left out.
        density: Option<f64> => optional Density,
        /// Force per stretch (EA), N; that of the section if left out.
        axial_stiffness: Option<f64> => optional ForceSize,
        /// Force per shear (GA with the shear factor), N; in space towards axes 2 and 3, where they differ a list of two. That of the section if left out, or EA/3.
        shear_stiffness: Option<[f64; 2]> => optional Ends<1, 1, -2>,
        /// Moment per curvature (EI), N m^2; in space about axes 2 and 3, where they differ a list of two. That of the section if left out.
        bending_stiffness: Option<[f64; 2]> => optional Ends<3, 1, -2>,
        /// Moment per twist (GJ), N m^2, in space; that of the section if left out.
        torsional_stiffness: Option<f64> => optional Si<3, 1, -2>,
        /// Mass per length, kg/m; that of the section if left out.
        mass_per_length: Option<f64> => optional Si<-1, 1, 0>,
        /// Damping that grows with the rate of strain, as a time: stresses are those of the strain plus this time its rate, s; 0 if left out.
        damping: f64 => default Time = 0.0,
        /// In space: towards where axis 2 of the sections points, at right angles to the beam; z if left out, or y where the beam runs along z.
        up: Option<[f64; 3]> => optional DrawnDirection,
        /// In space: how far the sections turn about the beam from `from` to `to`, as drawn; 0 if left out.
        twist: f64 => default Angle = 0.0,
        /// What its ends are welded to: for `from` and `to` a body that holds the point, `ground`, or "none": then the end shares its point with the bodies that hold it, as a hinge, or is free. None if left out.
        clamp: [String; 2] => default Two = none(),
        /// Those of its `points` at which it may break: there it is two pieces, welded by a fixed joint that is called like the section. `detach` in a change opens it.
        breaks_at: Vec<String> => default Vec<String> = Vec::new(),
        /// Such a joint opens for good when the size of its force is more than this, N.
        break_force: Option<f64> => optional ForceSize,
        /// Such a joint opens for good when the size of its moment is more than this, N m.
        break_moment: Option<f64> => optional Si<2, 1, -2>,
    }
}

/// Neither end.
fn none() -> [String; 2] {
    [NOTHING.to_owned(), NOTHING.to_owned()]
}

/// An end that is not clamped.
const NOTHING: &str = "none";

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::{Beam, BeamOrder, BeamSection, Material};
    use crate::file::prelude::*;

    named_choices!(BeamOrder, "order of elements");
    named_choices!(Material, "material");

    impl Rules for Beam {
        fn stand_in(&mut self) {
            let [name, from, to] = [&mut self.name, &mut self.from, &mut self.to].map(std::mem::take);
            *self = Beam::new(name, from, to).material(Material::Steel, BeamSection::round(1.0));
        }
    }
}

impl Beam {
    /// How many elements it has if it does not say.
    pub const ELEMENTS: usize = 8;

    /// A straight beam of eight quadratic elements from a point to another, without section or stiffness yet.
    pub fn new(name: impl Into<String>, from: impl Into<String>, to: impl Into<String>) -> Self {
        Beam {
            name: name.into(),
            from: from.into(),
            to: to.into(),
            points: Vec::new(),
            elements: None,
            order: BeamOrder::Quadratic,
            section: None,
            material: None,
            youngs_modulus: None,
            poisson_ratio: None,
            density: None,
            axial_stiffness: None,
            shear_stiffness: None,
            bending_stiffness: None,
            torsional_stiffness: None,
            mass_per_length: None,
            damping: 0.0,
            up: None,
            twist: 0.0,
            clamp: none(),
            breaks_at: Vec::new(),
            break_force: None,
            break_moment: None,
        }
    }

    /// Gives it a material and a section.
    pub fn material(mut self, material: Material, section: BeamSection) -> Self {
        (self.material, self.section) = (Some(material), Some(section));
        self
    }

    /// Gives it stiffness and mass by numbers: EA, N; EI, N m² (in space about axes 2 and 3); and mass per length, kg/m.
    pub fn stiffness(mut self, axial: f64, bending: [f64; 2], mass_per_length: f64) -> Self {
        (self.axial_stiffness, self.bending_stiffness) = (Some(axial), Some(bending));
        self.mass_per_length = Some(mass_per_length);
        self
    }

    /// Sets GA with the shear factor, towards axes 2 and 3, N.
    pub fn shear(mut self, stiffness: [f64; 2]) -> Self {
        self.shear_stiffness = Some(stiffness);
        self
    }

    /// Sets GJ, N m².
    pub fn torsion(mut self, stiffness: f64) -> Self {
        self.torsional_stiffness = Some(stiffness);
        self
    }

    /// Lets its axis pass through points.
    pub fn through<S: Into<String>>(mut self, points: impl IntoIterator<Item = S>) -> Self {
        self.points.extend(points.into_iter().map(Into::into));
        self
    }

    /// Sets how many elements it has, and of which order.
    pub fn elements(mut self, count: usize, order: BeamOrder) -> Self {
        (self.elements, self.order) = (Some(count), order);
        self
    }

    /// Welds its ends to bodies; `"none"` leaves an end as it is.
    pub fn clamp(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.clamp = [from.into(), to.into()];
        self
    }

    /// Lets it break at one of its points: beyond a force, N, or a moment, N m, or when a change opens the joint there.
    pub fn break_at(mut self, point: impl Into<String>, force: Option<f64>, moment: Option<f64>) -> Self {
        self.breaks_at.push(point.into());
        (self.break_force, self.break_moment) = (force, moment);
        self
    }

    /// Sets the damping, as a time, s.
    pub fn damping(mut self, time: f64) -> Self {
        self.damping = time;
        self
    }

    /// Sets towards where axis 2 of its sections points.
    pub fn up(mut self, direction: [f64; 3]) -> Self {
        self.up = Some(direction);
        self
    }

    /// The body that an end is welded to: 0 is `from`, 1 is `to`.
    pub fn clamped_to(&self, end: usize) -> Option<&str> {
        Some(self.clamp[end].as_str()).filter(|body| *body != NOTHING)
    }

    /// All its points in order.
    pub fn stations(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.from).chain(&self.points).chain([&self.to])
    }

    /// The name of the section at one of its points; where it may break, of the one on the side of `from`.
    pub fn section_at(&self, point: &str) -> String {
        format!("{}/{point}", self.name)
    }

    /// The name of the section on the side of `to` at a point where it may break.
    pub fn section_behind(&self, point: &str) -> String {
        format!("{}/{point}/2", self.name)
    }
}
