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

static std::string name(size_t i) { return "b" + std::to_string(i); }

// By the programming interface, not by XML: its parser refuses deep nesting.
static void compile() {
  if (data) mj_deleteData(data), data = nullptr;
  if (model) mj_deleteModel(model), model = nullptr;
  mjSpec* spec = mj_makeSpec();
  std::copy_n(tree.gravity, 3, spec->option.gravity);
  spec->option.integrator = mjINT_EULER;
  spec->option.timestep = 1e-9;  // so short that the state stays where it is
  spec->option.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_EQUALITY | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS |
                               mjDSBL_EULERDAMP | mjDSBL_AUTORESET | mjDSBL_SENSOR | mjDSBL_WARMSTART;
  std::vector<mjsBody*> bodies;
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const Link& l = tree.links[i];
    mjsBody* body = mjs_addBody(l.parent < 0 ? mjs_findBody(spec, "world") : bodies[l.parent], nullptr);
    bodies.push_back(body);
    mjs_setName(body->element, name(i).c_str());
    std::copy_n(l.translation, 3, body->pos);
    mju_mat2Quat(body->quat, l.rotation);
    body->explicitinertial = 1;
    body->mass = l.mass;
    std::copy_n(l.com, 3, body->ipos);
    std::copy_n(l.inertia, 6, body->fullinertia);
    if (l.joint == "fixed") continue;
    mjsJoint* joint = mjs_addJoint(body, nullptr);
    joint->type = l.joint == "floating" ? mjJNT_FREE : l.joint == "spherical" ? mjJNT_BALL : l.joint == "revolute" ? mjJNT_HINGE : mjJNT_SLIDE;
    std::copy_n(l.axis, 3, joint->axis);
  }
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
    const int joint = model->body_jntadr[mj_name2id(model, mjOBJ_BODY, name(i).c_str())];
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
