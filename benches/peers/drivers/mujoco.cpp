// MuJoCo: whole steps, mj_forward, and the leanest sequence of its own functions that gives accelerations.
#include "tree.hpp"

#include <cstring>
#include <mujoco/mujoco.h>

static Tree tree;
static mjModel* model = nullptr;
static mjData* data = nullptr;
static std::vector<std::vector<double>> positions, rates, forces;
static std::vector<int> q_at, v_at;  // by link, -1 for fixed ones: bodies are numbered depth first here
static std::vector<double> bias;

static std::string row(const double* x, int n) {
  std::ostringstream out;
  out.precision(17);
  for (int i = 0; i < n; ++i) out << x[i] << " ";
  return out.str();
}

static void element(std::ostream& out, int i, const std::vector<std::vector<int>>& children) {
  const Link& l = tree.links[i];
  double quaternion[4];
  mju_mat2Quat(quaternion, l.rotation);
  out << "<body name='b" << i << "' pos='" << row(l.translation, 3) << "' quat='" << row(quaternion, 4) << "'>";
  out << "<inertial pos='" << row(l.com, 3) << "' mass='" << row(&l.mass, 1) << "' fullinertia='" << row(l.inertia, 6) << "'/>";
  if (l.joint == "floating") out << "<freejoint/>";
  else if (l.joint == "spherical") out << "<joint type='ball'/>";
  else if (l.joint != "fixed") out << "<joint type='" << (l.joint == "revolute" ? "hinge" : "slide") << "' axis='" << row(l.axis, 3) << "'/>";
  for (int c : children[i]) element(out, c, children);
  out << "</body>";
}

static void compile() {
  if (data) mj_deleteData(data), data = nullptr;
  if (model) mj_deleteModel(model), model = nullptr;
  std::vector<std::vector<int>> children(tree.links.size());
  for (size_t i = 0; i < tree.links.size(); ++i)
    if (tree.links[i].parent >= 0) children[tree.links[i].parent].push_back(i);
  std::ostringstream xml;
  xml << "<mujoco><compiler angle='radian' autolimits='false'/>"
      << "<option gravity='" << row(tree.gravity, 3) << "' integrator='Euler' timestep='1e-9'>"
      << "<flag constraint='disable' contact='disable' equality='disable' limit='disable' frictionloss='disable'"
      << " eulerdamp='disable' autoreset='disable' sensor='disable' warmstart='disable' energy='disable'/></option><worldbody>";
  for (size_t i = 0; i < tree.links.size(); ++i)
    if (tree.links[i].parent < 0) element(xml, i, children);
  xml << "</worldbody></mujoco>";
  char fault[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml.str().c_str(), nullptr, fault, sizeof fault);
  if (!spec) throw std::runtime_error(fault);
  model = mj_compile(spec, nullptr);
  const std::string why = model ? "" : mjs_getError(spec);
  mj_deleteSpec(spec);
  if (!model) throw std::runtime_error(why);
  data = mj_makeData(model);
  bias.assign(model->nv, 0.0);
}

// Rates, forces and accelerations of a free body's origin are in world axes here, in link axes in the file.
static void turn(const double* quaternion, const double* v, double* out, bool back) {
  double q[4] = {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
  if (back) for (int i = 1; i < 4; ++i) q[i] = -q[i];
  mju_rotVecQuat(out, v, q);
}

static int count(const Link& l, bool of_positions) {
  if (l.joint == "floating") return of_positions ? 7 : 6;
  if (l.joint == "spherical") return of_positions ? 4 : 3;
  return l.joint == "fixed" ? 0 : 1;
}

static void translate_states() {
  q_at.assign(tree.links.size(), -1), v_at = q_at;
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const int joint = model->body_jntadr[mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str())];
    if (joint >= 0) q_at[i] = model->jnt_qposadr[joint], v_at[i] = model->jnt_dofadr[joint];
  }
  positions.clear(), rates.clear(), forces.clear();
  for (const State& s : tree.states) {
    std::vector<double> q(model->nq), v(model->nv), f(model->nv);
    for (size_t i = 0; i < tree.links.size(); ++i) {
      const Link& l = tree.links[i];
      if (l.joint == "fixed") continue;
      std::copy_n(s.q.begin() + l.q, count(l, true), q.begin() + q_at[i]);
      std::copy_n(s.v.begin() + l.v, count(l, false), v.begin() + v_at[i]);
      std::copy_n(s.tau.begin() + l.v, count(l, false), f.begin() + v_at[i]);
      if (l.joint == "floating") {
        turn(&s.q[l.q + 3], &s.v[l.v], &v[v_at[i]], false);
        turn(&s.q[l.q + 3], &s.tau[l.v], &f[v_at[i]], false);
      }
    }
    positions.push_back(q), rates.push_back(v), forces.push_back(f);
  }
}

static void set(int s) {
  std::memcpy(data->qpos, positions[s].data(), model->nq * sizeof(double));
  std::memcpy(data->qvel, rates[s].data(), model->nv * sizeof(double));
  std::memcpy(data->qfrc_applied, forces[s].data(), model->nv * sizeof(double));
}

static std::vector<double> accelerations(int s) {
  std::vector<double> out(model->nv);
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const Link& l = tree.links[i];
    if (l.joint == "fixed") continue;
    const double* a = data->qacc + v_at[i];
    std::copy_n(a, count(l, false), out.begin() + l.v);
    if (l.joint == "floating") {  // a = R (v' + w x v)
      const double *q = &tree.states[s].q[l.q + 3], *v = &tree.states[s].v[l.v];
      double link_axes[3], wv[3];
      turn(q, a, link_axes, true);
      mju_cross(wv, v + 3, v);
      for (int k = 0; k < 3; ++k) out[l.v + k] = link_axes[k] - wv[k];
    }
  }
  return out;
}

static void lean() {
  mj_kinematics(model, data);
  mj_comPos(model, data);
  mj_makeM(model, data);
  mj_factorM(model, data);
  mj_comVel(model, data);
  mj_rne(model, data, 0, bias.data());
  for (int i = 0; i < model->nv; ++i) bias[i] = data->qfrc_applied[i] - bias[i];
  mj_solveM(model, data, data->qacc, bias.data(), 1);
}

int main() {
  serve([](const Tree& loaded) {
    tree = loaded;
    compile();
    translate_states();
    auto with = [](std::function<void()> work) {
      auto evaluate = [work](int s) { set(s), work(); };
      return Variant{[evaluate](int s) { evaluate(s); return accelerations(s); }, evaluate};
    };
    std::map<std::string, Variant> out;
    out["lean"] = with(lean);
    out["forward"] = with([] { mj_forward(model, data); });
    out["step"] = with([] { mj_step(model, data); });
    return out;
  });
}
