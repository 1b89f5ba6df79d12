// Pinocchio: articulated-body algorithm in both of its conventions, and rnea for the residuals of everybody's answers.
#include "tree.hpp"

#include <cmath>
#include <memory>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <pinocchio/multibody.hpp>

using namespace pinocchio;

struct Problem {
  Model model;
  std::unique_ptr<Data> data;
  std::vector<Eigen::VectorXd> q, v, tau;
};

static Model::JointIndex add_joint(Model& model, Model::JointIndex parent, const Link& l, const SE3& at, const std::string& name) {
  const Eigen::Vector3d a(l.axis[0], l.axis[1], l.axis[2]);
  if (l.joint == "spherical") return model.addJoint(parent, JointModelSpherical(), at, name);
  if (l.joint == "floating") return model.addJoint(parent, JointModelFreeFlyer(), at, name);
  const bool turns = l.joint == "revolute";
  if (a == Eigen::Vector3d::UnitX()) return turns ? model.addJoint(parent, JointModelRX(), at, name) : model.addJoint(parent, JointModelPX(), at, name);
  if (a == Eigen::Vector3d::UnitY()) return turns ? model.addJoint(parent, JointModelRY(), at, name) : model.addJoint(parent, JointModelPY(), at, name);
  if (a == Eigen::Vector3d::UnitZ()) return turns ? model.addJoint(parent, JointModelRZ(), at, name) : model.addJoint(parent, JointModelPZ(), at, name);
  return turns ? model.addJoint(parent, JointModelRevoluteUnaligned(a), at, name)
               : model.addJoint(parent, JointModelPrismaticUnaligned(a), at, name);
}

static void build(const Tree& tree, Problem& p) {
  // Data holds several dense tensors of nv^3 numbers
  const double gigabytes = 4.0 * 8e-9 * std::pow(double(tree.nv), 3);
  if (gigabytes > 8.0) throw std::runtime_error("Data needs " + std::to_string(int(gigabytes)) + " GB");
  p.model.gravity.linear() = Eigen::Vector3d(tree.gravity[0], tree.gravity[1], tree.gravity[2]);
  std::vector<Model::JointIndex> joint(tree.links.size());
  std::vector<SE3> offset(tree.links.size(), SE3::Identity());  // of a link in its joint's axes: fixed links have no joint
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const Link& l = tree.links[i];
    Eigen::Matrix3d r = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(l.rotation);
    SE3 at(r, Eigen::Vector3d(l.translation[0], l.translation[1], l.translation[2]));
    Model::JointIndex parent = 0;
    if (l.parent >= 0) parent = joint[l.parent], at = offset[l.parent] * at;
    if (l.joint == "fixed") joint[i] = parent, offset[i] = at;
    else joint[i] = add_joint(p.model, parent, l, at, "joint" + std::to_string(i));
    const double* j = l.inertia;
    Eigen::Matrix3d inertia;
    inertia << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
    p.model.appendBodyToJoint(joint[i], Inertia(l.mass, Eigen::Vector3d(l.com[0], l.com[1], l.com[2]), inertia), offset[i]);
  }
  for (const State& s : tree.states) {
    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), s.q.size());
    for (const Link& l : tree.links) {  // quaternions: x y z w here
      const int k = l.joint == "spherical" ? l.q : l.joint == "floating" ? l.q + 3 : -1;
      if (k >= 0) q.segment<4>(k) << s.q[k + 1], s.q[k + 2], s.q[k + 3], s.q[k];
    }
    p.q.push_back(q);
    p.v.push_back(Eigen::Map<const Eigen::VectorXd>(s.v.data(), s.v.size()));
    p.tau.push_back(Eigen::Map<const Eigen::VectorXd>(s.tau.data(), s.tau.size()));
  }
  p.data.reset(new Data(p.model));
}

int main() {
  const std::string build_name = BUILD;
  std::unique_ptr<Problem> p;
  serve(
      [&](const Tree& tree) {
        p.reset();
        p.reset(new Problem);
        try {
          build(tree, *p);
        } catch (...) {
          p.reset();
          throw;
        }
        std::map<std::string, Variant> out;
        for (auto convention : {Convention::LOCAL, Convention::WORLD}) {
          auto evaluate = [&p, convention](int s) { aba(p->model, *p->data, p->q[s], p->v[s], p->tau[s], convention); };
          auto answer = [&p, evaluate](int s) {
            evaluate(s);
            return std::vector<double>(p->data->ddq.data(), p->data->ddq.data() + p->data->ddq.size());
          };
          out["aba-" + std::string(convention == Convention::LOCAL ? "local" : "world") + "-" + build_name] = {answer, evaluate};
        }
        return out;
      },
      // residual S a..: largest |rnea(a) - tau| over the largest |tau|
      [&](const std::string& command, std::istream& words) {
        if (command != "residual" || !p) return false;
        int s;
        words >> s;
        Eigen::VectorXd a(p->model.nv);
        for (int i = 0; i < a.size(); ++i) words >> a[i];
        if (!words) throw std::runtime_error("too few accelerations");
        rnea(p->model, *p->data, p->q[s], p->v[s], a);
        std::cout << (p->data->tau - p->tau[s]).lpNorm<Eigen::Infinity>() / p->tau[s].lpNorm<Eigen::Infinity>();
        return true;
      });
}
