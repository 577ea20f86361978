// A copy of the suite that can be written to: the module cache is read-only, and its zip has dropped the run bits.
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { goModules } from "../../tools/generate/go-modules.ts"

const copied = [
  "hack",
  "third_party/forked/shell2junit",
  "test/cmd",
  "test/fixtures",
  "test/e2e/testing-manifests",
  "test/images/sample-apiserver",
  "cluster/addons",
]

export interface Scratch extends Disposable {
  /** Looks like a checkout of kubernetes/kubernetes. */
  readonly root: string
  /** HOME, and TMPDIR with the server's certificate in it. */
  readonly home: string
  readonly temporary: string
  /** In the order in which upstream runs them. */
  readonly functions: readonly string[]
}

/** `programs` are found as if they had been built here. */
export function makeScratch(programs: readonly string[]): Scratch {
  const { kubernetes } = goModules({ from: "cached" })
  const root = mkdtempSync(join(tmpdir(), "pilothouse-suite-"))
  const [home, temporary] = [join(root, "home"), join(root, "tmp")]
  for (const directory of [home, temporary]) mkdirSync(directory)
  for (const path of copied) cpSync(join(kubernetes, path), join(root, path), { recursive: true, force: true })
  for (const path of globSync("**/*", { cwd: root })) chmodSync(join(root, path), 0o755)
  const bin = join(root, "_output/bin")
  mkdirSync(bin, { recursive: true })
  for (const program of programs) symlinkSync(program, join(bin, program.split("/").at(-1)!))
  const functions = recorded(readFileSync(join(root, "test/cmd/legacy-script.sh"), "utf8"))
  return { root, home, temporary, functions, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

function recorded(script: string): readonly string[] {
  return [...new Set([...script.matchAll(/^ +record_command (run_\w+)$/gm)].map(([, name]) => name ?? ""))]
}
