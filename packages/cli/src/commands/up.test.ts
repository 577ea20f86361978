import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { resource } from "@pilothouse/api"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { createClient, defaultTransport } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { oneAddress } from "../embedded/cluster.ts"
import { takeExecLock } from "../embedded/exec-lock.ts"
import { runProgram } from "../program.ts"
import { mergedLines } from "../up/summary.ts"
import { Signals } from "./testing/signals.ts"

let folder = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pilothouse-up-"))
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

interface Up {
  /** What it had printed when it was up. */
  readonly shown: string
  /** As the system would; gives the exit code, what was printed since, and how long it took. */
  stop(by?: "SIGTERM" | "SIGHUP"): Promise<{ readonly code: number; readonly shown: string; readonly milliseconds: number }>
}

/** `pilothouse up` in this process, until it says that it is up. */
async function up(...words: readonly string[]): Promise<Up> {
  const written: string[] = []
  const isUp = Promise.withResolvers<void>()
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.push(String(text))
    if (/"server"|Ctrl-C/.test(String(text))) isUp.resolve()
    return true
  })
  const signals = new Signals()
  const args = ["up", "--port", "0", "--nodes", "1", "--data-dir", join(folder, "data"), ...words]
  const ended = runProgram(args)
  await Promise.race([isUp.promise, ended.then((code) => expect.fail(`ended with ${code}`))])
  const shown = written.join("")
  return {
    shown,
    async stop(by = "SIGTERM") {
      using _sent = signals
      written.length = 0
      const began = systemClock.elapsed()
      signals.send(by)
      return { code: await ended, shown: written.join(""), milliseconds: systemClock.elapsed() - began }
    },
  }
}

async function mapThere(kubeconfig: string): Promise<ConfigMap["data"] | "none"> {
  await using server = await defaultTransport({ kubeconfig, clock: systemClock })
  const { items } = await createClient(server.transport).list(configMaps, { namespace: "default", fieldSelector: "metadata.name=kept" })
  return items.length === 0 ? "none" : items[0]!.data
}

const kept = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kept" }, data: { a: "b" } }

test("--json: one line of what runs and where; --from is applied, --kubeconfig written for its owner only; a signal ends it at once with 0", async () => {
  writeFileSync(join(folder, "kept.json"), JSON.stringify(kept))
  const kubeconfig = join(folder, "config")
  const cluster = await up("--json", "--kubeconfig", kubeconfig, "--from", join(folder, "kept.json"))
  expect(cluster.shown.split("\n")).toHaveLength(2)
  expect(JSON.parse(cluster.shown)).toEqual({
    server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    kubeconfig,
    nodes: 1,
    controllers: expect.any(Number),
    discovery: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    discoveryDebug: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: process.pid,
    milliseconds: expect.any(Number),
  })
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600)
  expect(await mapThere(kubeconfig)).toEqual({ a: "b" })
  const { code, shown, milliseconds } = await cluster.stop()
  expect([code, shown]).toEqual([0, ""])
  expect(milliseconds).toBeLessThan(10_000)
  await expect(mapThere(kubeconfig)).rejects.toThrow("nothing listens there")
})

test("definitions in --from are established before the objects, and their kinds are there again after a restart", async () => {
  const widgets = resource({ group: "example.com", version: "v1", kind: "Widget" })
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
  const versions = [{ name: "v1", served: true, storage: true, schema }]
  const spec = { group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions }
  const metadata = { name: "widgets.example.com" }
  const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec }
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" }, spec: { size: 3 } }
  writeFileSync(join(folder, "a.json"), JSON.stringify(widget))
  writeFileSync(join(folder, "b.json"), JSON.stringify(definition))
  const kubeconfig = join(folder, "data", "kubeconfig")
  const there = async () => {
    await using server = await defaultTransport({ kubeconfig, clock: systemClock })
    return (await createClient(server.transport).list(widgets)).items.map((item) => [
      item.kind,
      item.metadata.name,
      item.metadata.namespace,
    ])
  }
  const first = await up("--from", folder)
  expect(first.shown).toContain("widget.example.com/one created\n")
  expect(await there()).toEqual([["Widget", "one", "default"]])
  await first.stop()
  const again = await up()
  expect(await there()).toEqual([["Widget", "one", "default"]])
  await again.stop()
})

test("what it holds is there again when it is started again; --ephemeral begins empty and leaves it alone", async () => {
  writeFileSync(join(folder, "kept.json"), JSON.stringify(kept))
  const kubeconfig = join(folder, "data", "kubeconfig")
  await (await up("--from", join(folder, "kept.json"))).stop()
  const forgetful = await up("--ephemeral")
  expect(await mapThere(kubeconfig)).toBe("none")
  await forgetful.stop()
  const again = await up("--nodes", "0", "--json")
  expect(JSON.parse(again.shown)).toMatchObject({ nodes: 1 })
  expect(await mapThere(kubeconfig)).toEqual({ a: "b" })
  await again.stop()
})

test("a second one in the same directory names the cluster that is up there, and how to use it", async () => {
  const said: string[] = []
  const kubeconfig = join(folder, "config")
  const first = await up("--ephemeral", "--kubeconfig", kubeconfig)
  const address = readFileSync(kubeconfig, "utf8").match(/https:\/\/127\.0\.0\.1:\d+/)?.[0]
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
  vi.spyOn(process, "pid", "get").mockReturnValue(process.ppid)
  expect(await runProgram(["up", "--data-dir", join(folder, "data")])).toBe(1)
  expect(said.join("")).toContain(`--data-dir\nA cluster is up there at ${address}:\n  export KUBECONFIG=${kubeconfig}\n`)
  await first.stop()
})

test("--exec where another such cluster runs on this machine warns, and starts all the same", async () => {
  // Another process on this machine may have it already: that is one too.
  using _other = await takeExecLock(oneAddress, silentLog)
  const said: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
  const cluster = await up("--exec", "--ephemeral", "--json")
  expect(said.join("")).toMatch(/ warn +another cluster of up --exec runs on this machine: /)
  expect((await cluster.stop()).code).toBe(0)
})

test.runIf(process.getuid !== undefined).each([
  ["root", 0, true],
  ["another user", 1000, false],
])("--exec as %s warns: %i %s", async (_who, uid, isWarned) => {
  const said: string[] = []
  vi.spyOn(process, "getuid").mockReturnValue(uid)
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
  const cluster = await up("--exec", "--ephemeral", "--json")
  expect(/ warn +up --exec runs as root: /.test(said.join(""))).toBe(isWarned)
  expect((await cluster.stop()).code).toBe(0)
})

test("an object of --from that is refused ends it, and it says that the cluster was stopped", async () => {
  const said: string[] = []
  vi.spyOn(process.stdout, "write").mockReturnValue(true)
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
  writeFileSync(join(folder, "bad.json"), JSON.stringify({ ...kept, data: 5 }))
  const words = ["--port", "0", "--nodes", "1", "--data-dir", join(folder, "data"), "--from", join(folder, "bad.json")]
  expect(await runProgram(["up", ...words])).toBe(1)
  expect(said.join("")).toMatch(/1 of 1 objects were refused:[^]*\nThe cluster was stopped: mend what is in --from, and start it again/)
})

// Not by `up --merge` itself: it would write into the home of the user who runs the tests.
test.each<[environment: string | undefined, said: string]>([
  [undefined, "kubectl uses it now: it is the current context of ~/.kube/config"],
  ["/elsewhere", "It is the current context of ~/.kube/config, but kubectl reads $KUBECONFIG first:\n  unset KUBECONFIG"],
])("--merge with KUBECONFIG=%s says what kubectl does now", (environment, said) => {
  expect(mergedLines(environment).join("\n")).toBe(said)
})

test("a terminal that was closed killed it in the middle, and left real processes behind: it is as Ctrl-C", async () => {
  const cluster = await up("--ephemeral")
  expect(await cluster.stop("SIGHUP")).toMatchObject({ code: 0, shown: "stopping\n" })
})

test("it says where it is, how long it took, what runs, and what to type next", async () => {
  const cluster = await up("--controllers", "*,-service")
  const address = readFileSync(join(folder, "data", "kubeconfig"), "utf8").match(/https:\/\/127\.0\.0\.1:\d+/)?.[0]
  expect(cluster.shown).toMatch(
    new RegExp(`^Pilothouse is up at ${address}( \\(6443 is taken\\))? after \\d+ ms\n  nodes  1 simulated\n`, "m"),
  )
  expect(cluster.shown).toMatch(/^ {2}runs {3}\d+ controllers, a scheduler, simulated kubelets\n/m)
  expect(cluster.shown).toContain(`  export KUBECONFIG=${join(folder, "data", "kubeconfig")}\n`)
  expect(cluster.shown).toMatch(/^ {2}kubectl (apply|create) /m)
  const pages = cluster.shown.match(/^ {9}(http:\/\/\S+\/debug): what each client has received$/m)?.[1]
  expect((await fetch(`${pages}/syncz`)).status).toBe(200)
  expect((await cluster.stop()).shown).toBe("stopping\n")
})

test.each<[words: readonly string[], message: string]>([
  [["--detach", "--", "true"], 'expected one of --detach and a command behind "--", found both'],
  [["--json", "--", "true"], 'expected one of --json and a command behind "--", found both'],
  [["--"], 'expected a command behind "--", such as pilothouse up -- npm test, found nothing'],
  [["--no-discovery", "--xds-port", "0"], "expected one of --no-discovery and --xds-port, found both"],
  [["--name", "demo", "--data-dir", "x"], "expected one of --name and --data-dir, found both"],
  [["--name", "../demo"], "expected a name of at most 63 lower case letters"],
  [["npm", "test"], "too many arguments"],
])("%j is refused before anything is started", async (words, message) => {
  const said: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
  expect(await runProgram(["up", ...words])).toBe(2)
  expect(said.join("")).toContain(message)
})

test("--no-discovery serves no xDS; a port of xDS that is taken is an error", async () => {
  const first = await up("--json", "--ephemeral", "--xds-port", "0")
  const { discovery } = JSON.parse(first.shown) as { readonly discovery: string }
  const said: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
  const words = ["--port", "0", "--nodes", "1", "--data-dir", join(folder, "other"), "--ephemeral"]
  expect(await runProgram(["up", ...words, "--xds-port", discovery.split(":")[1]!])).toBe(1)
  expect(said.join("")).toContain(`expected ${discovery} to be free, found it taken`)
  await first.stop()
  const without = await up("--json", "--ephemeral", "--no-discovery")
  expect(Object.keys(JSON.parse(without.shown) as object)).not.toContain("discovery")
  await without.stop()
})
