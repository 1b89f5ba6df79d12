// The exchange format of models.py, and the line protocol that all drivers speak, for those in C++.
//
//   load FILE          -> "ok BODIES" or "error WHY"
//   variants           -> their names
//   answer NAME S      -> the derivative of v in state S
//   repeat NAME K      -> seconds for K evaluations of the first state
//   batch NAME K       -> seconds for K sweeps over all states
//
// Names hold no blanks. Every answer is one line.
#pragma once
#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Link {
  int parent;
  std::string joint;
  double axis[3], rotation[9], translation[3], mass, com[3], inertia[6];
  int q, v;  // where its coordinates and its rates begin
};

struct State {
  std::vector<double> q, v, tau;
};

struct Tree {
  std::string name;
  double gravity[3];
  std::vector<Link> links;
  std::vector<State> states;
  int nv = 0;
};

inline std::vector<double> numbers(const boost::json::value& v) {
  std::vector<double> out;
  for (const auto& x : v.as_array()) out.push_back(x.to_number<double>());
  return out;
}

template <std::size_t N>
void numbers(const boost::json::value& v, double (&to)[N]) {
  auto list = numbers(v);
  if (list.size() != N) throw std::runtime_error("wrong number of numbers");
  std::copy(list.begin(), list.end(), to);
}

inline Tree read_tree(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::stringstream text;
  text << in.rdbuf();
  auto json = boost::json::parse(text.str());
  Tree tree;
  tree.name = json.at("name").as_string().c_str();
  numbers(json.at("gravity"), tree.gravity);
  int nq = 0;
  for (const auto& l : json.at("links").as_array()) {
    Link link;
    link.parent = l.at("parent").to_number<int>();
    link.joint = l.at("joint").as_string().c_str();
    numbers(l.at("axis"), link.axis);
    numbers(l.at("rotation"), link.rotation);
    numbers(l.at("translation"), link.translation);
    link.mass = l.at("mass").to_number<double>();
    numbers(l.at("com"), link.com);
    numbers(l.at("inertia"), link.inertia);
    link.q = nq;
    link.v = tree.nv;
    if (link.joint == "spherical") nq += 4, tree.nv += 3;
    else if (link.joint == "floating") nq += 7, tree.nv += 6;
    else if (link.joint != "fixed") nq += 1, tree.nv += 1;
    tree.links.push_back(link);
  }
  for (const auto& s : json.at("states").as_array())
    tree.states.push_back({numbers(s.at("q")), numbers(s.at("v")), numbers(s.at("tau"))});
  return tree;
}

struct Variant {
  std::function<std::vector<double>(int)> answer;  // of one state
  std::function<void(int)> evaluate;               // the timed call; its argument is the state
};

inline double timed(const std::function<void()>& work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Serves until the input ends. `load` answers the variants that the model can be run with; `more` takes other commands.
inline void serve(const std::function<std::map<std::string, Variant>(const Tree&)>& load,
                  const std::function<bool(const std::string&, std::istream&)>& more = {}) {
  std::cout.precision(17);
  std::map<std::string, Variant> variants;
  std::string line;
  int states = 0;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command, name;
    words >> command;
    try {
      if (command == "load") {
        words >> name;
        Tree tree = read_tree(name);
        states = tree.states.size();
        variants.clear();
        variants = load(tree);
        std::cout << "ok " << tree.links.size();
      } else if (command == "variants") {
        for (auto& v : variants) std::cout << v.first << " ";
      } else if (command == "answer" || command == "repeat" || command == "batch") {
        long k;
        words >> name >> k;
        auto found = variants.find(name);
        if (found == variants.end()) throw std::runtime_error("no variant " + name);
        auto& evaluate = found->second.evaluate;
        if (command == "answer") {
          for (double x : found->second.answer(k)) std::cout << x << " ";
        } else if (command == "repeat") {
          std::cout << timed([&] { for (long i = 0; i < k; ++i) evaluate(0); });
        } else {
          std::cout << timed([&] { for (long i = 0; i < k; ++i) for (int s = 0; s < states; ++s) evaluate(s); });
        }
      } else if (!(more && more(command, words))) {
        throw std::runtime_error("unknown command " + command);
      }
      std::cout << std::endl;
    } catch (const std::exception& e) {
      std::string why = e.what();
      for (char& c : why) if (c == '\n') c = ' ';
      std::cout << "error " << why << std::endl;
    }
  }
}
