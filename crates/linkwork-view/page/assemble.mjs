// Puts the page together by hand, for work on it: node assemble.mjs data.json > out.html
import { readFileSync } from "node:fs";

const here = new URL(".", import.meta.url);
const read = (name) => readFileSync(new URL(name, here), "utf8");
const order = read("README.md").match(/^`decode\.js`.*$/m)[0].match(/[a-z]+\.js/g);
const script = `(() => { "use strict";\n${order.map(read).join("\n")}\n})();`;
const data = readFileSync(process.argv[2], "utf8").replaceAll("<", "\\u003c");
// replaced by functions: a dollar sign in the text stays one
const page = read("page.html").replace("/*STYLE*/", () => read("page.css")).replace("/*SCRIPT*/", () => script).replace("/*DATA*/", () => data);
process.stdout.write(page);
