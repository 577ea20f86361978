import { expect, test } from "vitest"
import { withSetpriv } from "./credentials.ts"

const paths = { setpriv: "/usr/bin/setpriv", env: "/usr/bin/env" }
const user = { uid: 7, gid: 8, home: "/" }

test.each([
  ["no_new_privs", { noNewPrivileges: true }, ["--no-new-privs"]],
  ["groups", { user: { ...user, groups: [5, 6] } }, ["--reuid=7", "--regid=8", "--groups=5,6"]],
  [
    "all of it",
    { user: { ...user, groups: [] }, noNewPrivileges: true, clearsCapabilities: true, boundingSet: "-all,+net_raw" },
    "--reuid=7 --regid=8 --clear-groups --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all,+net_raw".split(" "),
  ],
])("%s", (_name, credentials, options) => {
  const command = { argv: ["serve", "--fast"], env: { A: "b" } }
  expect(withSetpriv(command, credentials, paths)).toEqual({
    argv: ["/usr/bin/setpriv", ...options, "--", "serve", "--fast"],
    env: { A: "b" },
  })
})

test("a library that a container names was loaded into setpriv, which is still root", () => {
  const env = { LD_PRELOAD: "/tmp/evil.so", GLIBC_TUNABLES: "x", LDX: "safe", PATH: "/bin" }
  expect(withSetpriv({ argv: ["serve"], env }, { noNewPrivileges: true }, paths)).toEqual({
    argv: ["/usr/bin/setpriv", "--no-new-privs", "--", "/usr/bin/env", "LD_PRELOAD=/tmp/evil.so", "GLIBC_TUNABLES=x", "serve"],
    env: { LDX: "safe", PATH: "/bin" },
  })
})
