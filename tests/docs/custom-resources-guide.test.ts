import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const guide = readFileSync(join(root, "docs", "guides", "custom-resources.md"), "utf8")
const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"]
const cli = join(root, "packages/cli/src/main.ts")

/** What the guide shows below a command, for each time that it does. */
function shownAfter(command: string): readonly string[] {
  const blocks = [...guide.matchAll(/```console\n(.*?)```/gs)].map(([, text = ""]) => text)
  return blocks.flatMap((text) =>
    text
      .split(/^\$ /m)
      .filter((part) => part.startsWith(`${command}\n`))
      .map((part) => part.slice(command.length + 1)),
  )
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  // The runner of this test marks its child processes as part of it.
  const child = spawn(process.execPath, [...flags, ...args], { cwd: root, env: { ...env, NODE_OPTIONS: undefined } })
  onTestFinished(async () => {
    child.kill("SIGTERM")
    if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve))
  })
  return child
}

test("custom-resources.md: from a definition to a running operator on `up`", async () => {
  const directory = mkdtempSync(join(tmpdir(), "custom-resources-guide-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const [command = ""] = [...guide.matchAll(/^\$ npm start -- (--from .*)$/gm)].map(([, words = ""]) => words)
  const printed: string[] = []
  const up = start([cli, "up", "--ephemeral", "--port", "0", "--data-dir", directory, ...command.split(" ")], process.env)
  up.stdout?.on("data", (chunk: Buffer) => printed.push(String(chunk)))
  await expect.poll(() => printed.join("")).toContain("Ctrl-C")
  expect(printed.join("")).toContain(shownAfter(`npm start -- ${command}`)[0])
  const env = { ...process.env, KUBECONFIG: join(directory, "kubeconfig"), NODE_OPTIONS: undefined }
  const pilothouse = (...words: readonly string[]) =>
    spawnSync(process.execPath, [...flags, cli, ...words], { cwd: root, env, encoding: "utf8" }).stdout.replace(/ +$/gm, "")
  const [before, after] = shownAfter("npx @pilothouse/cli get websites")
  expect(pilothouse("get", "websites")).toBe(before)
  start(["examples/website-operator/on-a-cluster.ts"], env)
  await expect.poll(() => pilothouse("get", "websites"), { interval: 1000 }).toBe(after)
  expect(pilothouse("explain", "website/blog")).toMatch(/Its deployments\n +NAME +READY +UP-TO-DATE +AVAILABLE +AGE\n +blog +3\/3 /)
  expect(pilothouse("delete", "website", "blog")).toBe(shownAfter("npx @pilothouse/cli delete website blog")[0])
  await expect.poll(() => pilothouse("get", "deployments", "-o", "name"), { interval: 1000 }).toBe("")
})
