// docs/guides/demos-and-helm.md: its commands on `up`, with the Helm that `npm run components -- kubectl` gets.
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { binary } from "../../tools/components/index.ts"

const root = join(import.meta.dirname, "..", "..")
const guide = readFileSync(join(root, "docs", "guides", "demos-and-helm.md"), "utf8")
const cli = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", join(root, "packages/cli/src/main.ts")]
const helm = binary("kubectl", "helm")
const annotations = readFileSync(join(root, "docs/reference/simulated-nodes.md"), "utf8")

/** The guide's command that begins so, without the prompt. */
const command = (begin: string) =>
  guide
    .split("\n")
    .find((line) => line.startsWith(`$ ${begin}`))
    ?.slice(2) ?? ""

/** The runner of this test marks its child processes as part of it. */
const environment = (more: NodeJS.ProcessEnv = {}) => ({ ...process.env, NODE_OPTIONS: undefined, NO_COLOR: "1", ...more })

function run(program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: root, env: environment(more), encoding: "utf8" })
  return { status, said: `${stdout}${stderr}` }
}

/** The words of a command of the guide: `explain deployment/shop`. */
const ours = (begin: string) => command(`npx @pilothouse/cli ${begin}`).split(" ").slice(2)

test("a command beside a cluster sees as many nodes as the guide says", () => {
  const words = ours("up --nodes")
  const { status, said } = run(process.execPath, [
    ...cli,
    ...words.slice(0, words.indexOf("--") + 1),
    process.execPath,
    ...cli,
    "get",
    "nodes",
    "-o",
    "name",
  ])
  expect([status, said.match(/^node\/node-\d+$/gm)?.length]).toEqual([0, Number(words[2])])
})

test("every annotation that the guide names is in the reference", () => {
  const names = [...guide.matchAll(/`(?:[^`]* )?(pilothouse\.dev\/[a-z-]+)[:=]/g)].map(([, name = ""]) => name)
  expect(names.length).toBeGreaterThan(4)
  expect(names.filter((name) => !annotations.includes(name))).toEqual([])
})

test.skipIf(helm === undefined)("the chart installs, an upgrade that breaks is explained, and a rollback mends it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "demos-guide-"))
  const up = spawn(process.execPath, [...cli, "up", "--ephemeral", "--port", "0", "--data-dir", directory], {
    cwd: root,
    env: environment(),
  })
  onTestFinished(async () => {
    up.kill("SIGTERM")
    if (up.exitCode === null) await new Promise((resolve) => up.once("exit", resolve))
    rmSync(directory, { recursive: true, force: true })
  })
  let printed = ""
  up.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)))
  await expect.poll(() => printed, { timeout: 20_000 }).toContain("Ctrl-C")
  const more = {
    KUBECONFIG: join(directory, "kubeconfig"),
    HELM_CACHE_HOME: directory,
    HELM_CONFIG_HOME: directory,
    HELM_DATA_HOME: directory,
  }
  const [beside = ""] = command("npx @pilothouse/cli up -- helm").split(" -- ").slice(1)
  expect(run(helm!, beside.split(" ").slice(1), more)).toMatchObject({ status: 0, said: expect.stringContaining("STATUS: deployed") })
  // Without --wait, which would take as long as its timeout.
  expect(run(helm!, ["upgrade", "shop", "examples/shop", "--set-string", "crash=cannot connect to db"], more).status).toBe(0)
  const explained = () => run(process.execPath, [...cli, ...ours("explain deployment/shop")], more).said
  await expect.poll(explained, { timeout: 20_000, interval: 500 }).toMatch(/exits with code 1, .*last log line: cannot connect to db/)
  expect(run(helm!, command("helm rollback").split(" ").slice(1), more).said).toContain("Rollback was a success!")
  expect(run(process.execPath, [...cli, ...ours("explain -A")], more).said).toContain("all is well")
})
