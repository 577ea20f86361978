import { readFile } from "node:fs/promises"
import { execPath, platform } from "node:process"
import { events, type Pod, pods } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import type { ProcessEnd } from "./spawn.ts"
import { endLeftovers } from "./system-leftovers.ts"
import { systemProbe } from "./system-probe.ts"
import { systemSpawner } from "./system-spawn.ts"

const systemSpawn = systemSpawner()

const server = `
const { createServer } = require("node:http")
const server = createServer((_, answer) => answer.end(process.env.HOSTNAME)).listen(18080, process.env.HOST, () => console.log("listening"))
process.on("SIGTERM", () => { console.log("draining"); server.close(); server.closeAllConnections() })
`

function web(name: string): Pod {
  const readinessProbe = { httpGet: { port: 18_080 }, periodSeconds: 1 }
  const containers = [{ name: "main", image: "process", command: [execPath, "-e", server], readinessProbe }]
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec: { containers } }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await systemClock.sleep(20)
}

const ready = async (running: Cluster) => (await running.list(pods)).map((pod) => pod.status?.containerStatuses?.[0]?.ready === true)

test("two pods serve the same port, each on its own address, and drain when they are deleted", async () => {
  await using running = await cluster({ controllers: [], time: "real", exec: true })
  await Promise.all([running.apply(web("one")), running.apply(web("two"))])
  await until(async () => (await ready(running)).join() === "true,true")
  const addresses = (await running.list(pods)).map((pod) => pod.status?.podIP)
  expect(new Set(addresses).size).toBe(2)
  for (const address of addresses) await systemProbe.http(`http://${address}:18080/`, {}, new AbortController().signal)
  await running.client.delete(pods, "default/one")
  await until(async () => (await running.list(pods)).length === 1)
})

test.runIf(platform === "linux")("one that requests the port on every address, while another pod has it, gets an error", async () => {
  await using running = await cluster({ controllers: [], time: "real", exec: true, kubeletEvents: true })
  const listening = (name: string, host: string): Pod => {
    const script = `require("node:net").createServer().listen(18082, ${host})`
    const readinessProbe = { tcpSocket: { port: 18_082 }, periodSeconds: 1 }
    const containers = [{ name: "main", image: "process", command: [execPath, "-e", script], readinessProbe }]
    return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec: { restartPolicy: "Never", containers } }
  }
  await running.apply(listening("one", "process.env.HOST"))
  await until(async () => (await ready(running)).join() === "true")
  await running.apply(listening("greedy", '"0.0.0.0"'))
  const told = async () => (await running.list(events)).filter(({ reason }) => reason === "PortTaken")
  await until(async () => (await told()).length > 0)
  const [event] = await told()
  expect(event?.involvedObject?.name).toBe("greedy")
  expect(event?.message).toMatch(/EADDRINUSE.*let it listen on \$POD_IP \(127\.116\.1\.2\)/)
})

test("output, exit code and signals", async () => {
  const lines: string[] = []
  const run = async (script: string, then: (stop: (name: "SIGTERM" | "SIGKILL") => void) => void = () => {}) => {
    const ended = Promise.withResolvers<ProcessEnd>()
    const process = await systemSpawn(
      { argv: ["sh", "-c", script], env: { NAME: "x" } },
      { line: (text) => lines.push(text), end: ended.resolve },
    )
    then((name) => process.signal(name))
    return (await ended.promise).exitCode
  }
  expect(await run("echo $NAME; echo y >&2; printf z; exit 3")).toBe(3)
  expect(lines.sort()).toEqual(["x", "y", "z"])
  expect(await run("sleep 30", (stop) => stop("SIGTERM"))).toBe(143)
  await expect(systemSpawn({ argv: ["/nowhere/at/all"], env: {} }, { line() {}, end() {} })).rejects.toThrow("cannot start /nowhere/at/all")
})

test("a process that printed no end of line made one line without end", async () => {
  const lines: string[] = []
  const ended = Promise.withResolvers<ProcessEnd>()
  const script = 'process.stdout.write("x".repeat(100_000) + "\\nshort\\n" + "y".repeat(16_385))'
  await systemSpawn({ argv: [execPath, "-e", script], env: {} }, { line: (text) => lines.push(text), end: ended.resolve })
  await ended.promise
  expect(Math.max(...lines.map(({ length }) => length))).toBe(16_384)
  expect(lines.map(({ length }) => length).slice(-4)).toEqual([100_000 % 16_384, 5, 16_384, 1])
  expect(lines.join("")).toHaveLength(100_000 + 5 + 16_385)
})

/** Runs it to its end; what it ended with, and the lines that it printed. */
async function ran(script: string): Promise<{ readonly exitCode: number; readonly lines: readonly string[] }> {
  const lines: string[] = []
  const ended = Promise.withResolvers<ProcessEnd>()
  await systemSpawn({ argv: ["sh", "-c", script], env: {} }, { line: (text) => lines.push(text), end: ended.resolve })
  return { ...(await ended.promise), lines }
}

/** Its daemon says when it has left the group, which is killed with the shell: before that it would not be one. */
const daemon = `trap "echo last; exit 7" USR1; setsid sh -c "kill -USR1 $$; sleep 6; echo late" & wait`

test.each<readonly [string, string]>([
  ["in its group", "sleep 600 & echo last; exit 7"],
  // Others have no setsid.
  ...(platform === "linux" ? [["as a daemon outside of it", daemon] as const] : []),
])("a container ended only when all that its process had started did: %s", async (_where, script) => {
  expect(await ran(script)).toEqual({ exitCode: 7, lines: ["last"] })
})

test.runIf(platform === "linux")("what a process had started outlived its container", async () => {
  const [pid] = (await ran("sleep 600 >/dev/null 2>&1 & echo $!")).lines
  await until(async () => (await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")) === "")
})

/** Whether a process still runs; those that are dead and not buried have no environment. */
const isThere = async (pid: string | undefined) => (await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")) !== ""

describe.runIf(platform === "linux")("daemons that have left the process group", () => {
  const daemonPod = (more: Partial<Pod["spec"] & object> = {}): Pod => {
    // The shell in a session of its own says its number; the container's own process ends on SIGTERM, or by itself when a file is there.
    const command = ["sh", "-c", 'setsid sh -c "echo \\$\\$; trap : TERM; sleep 600 & wait; sleep 600" & wait']
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "daemons", namespace: "default" },
      spec: { ...more, containers: [{ name: "main", image: "process", command }] },
    }
  }
  const log = async (running: Cluster): Promise<string> => {
    const path = "/api/v1/namespaces/default/pods/daemons/log"
    const { body } = await running.transport({ verb: "GET", path, query: {}, headers: {} })
    return body.type === "bytes" ? new TextDecoder().decode(body.bytes).trim() : ""
  }

  test("outlived their pod", async () => {
    await using running = await cluster({ controllers: [], time: "real", exec: true })
    await running.apply(daemonPod())
    await until(async () => /^\d+$/.test(await log(running)))
    const pid = await log(running)
    expect(await isThere(pid)).toBe(true)
    await running.client.delete(pods, "default/daemons")
    await until(async () => (await running.list(pods)).length === 0)
    expect(await isThere(pid)).toBe(false)
  })

  test("outlived the whole cluster", async () => {
    const running = await cluster({ controllers: [], time: "real", exec: true })
    await running.apply(daemonPod())
    await until(async () => /^\d+$/.test(await log(running)))
    const pid = await log(running)
    await running.close()
    // How long the end waits for them is the subject of processes.test.ts, in virtual time.
    await until(async () => !(await isThere(pid)))
  })

  test("end with the run that started them, and those of the next run go on", async () => {
    const lines: string[] = []
    const run = async (marker: string, script: string) => {
      const ended = Promise.withResolvers<ProcessEnd>()
      const env = { PILOTHOUSE_CONTAINER: marker }
      const call = { argv: ["sh", "-c", script], env, endsCarriersOf: `PILOTHOUSE_CONTAINER=${marker}` }
      const spawned = await systemSpawn(call, { line: (text) => lines.push(text), end: ended.resolve })
      return { spawned, ended: ended.promise }
    }
    const daemonise = 'setsid sh -c "echo \\$\\$; sleep 600" &'
    const next = await run("a test/main/1", `${daemonise} wait`)
    await until(async () => lines.length === 1)
    // A shell that ends at once might do so before its daemon is one.
    const first = await run("a test/main/0", `trap "exit 0" TERM; ${daemonise} wait`)
    await until(async () => lines.length === 2)
    first.spawned.signal("SIGTERM")
    await first.ended
    expect([await isThere(lines[1]), await isThere(lines[0])]).toEqual([false, true])
    next.spawned.signal("SIGKILL")
    await next.ended
    expect(await isThere(lines[0])).toBe(false)
  })
})

test.runIf(platform === "linux")("what an owner left behind is found and ended, and nothing else", async () => {
  const ended = Promise.withResolvers<ProcessEnd>()
  await systemSpawn({ argv: ["sleep", "30"], env: { PILOTHOUSE_OWNER: "/a test" } }, { line() {}, end: ended.resolve })
  expect(await endLeftovers("/another test")).toBe(0)
  expect(await endLeftovers("/a test")).toBe(1)
  expect(await ended.promise).toEqual({ exitCode: 137 })
})
