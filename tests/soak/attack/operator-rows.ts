import { spawn } from "node:child_process"
import { mkdirSync, readlinkSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { hostname } from "node:os"
import { join } from "node:path"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin, within } from "./waiting.ts"

/** Milliseconds of one command. */
const commandTime = 30_000

/** What a command prints. */
async function printed({ start }: Attempt, args: readonly string[]): Promise<string> {
  const program = start(args)
  await within(program.ended, commandTime)
  return program.output
}

/** Messages of objects that would move the cursor, rename the window or ask the terminal for an answer. */
async function terminalEscapes(attempt: Attempt): Promise<void> {
  const { admin, up, expect, expectStatus } = attempt
  const escape = "\u001b]0;owned\u0007\u001b[2J\u009b6n\r"
  const path = "/api/v1/namespaces/default"
  const pod = { metadata: { name: "p" }, spec: { nodeName: "none", containers: [{ name: "c", image: "i" }] } }
  expectStatus("a pod", await admin.create(`${path}/pods`, pod), 201)
  const about = { kind: "Pod", apiVersion: "v1", name: "p", namespace: "default" }
  const event = { metadata: { name: "e" }, involvedObject: about, reason: `Odd${escape}`, message: `all is well${escape}`, type: "Warning" }
  expectStatus("an event", await admin.create(`${path}/events`, event), 201)
  const conditions = [{ type: "Ready", status: "False", reason: `R${escape}`, message: `m${escape}` }]
  const headers = { "content-type": "application/merge-patch+json" }
  const patched = await admin.send({ method: "PATCH", path: `${path}/pods/p/status`, headers, body: { status: { conditions } } })
  expectStatus("a status", patched, 200)
  const config = ["--kubeconfig", up.facts.kubeconfig]
  for (const args of [
    ["get", "events"],
    ["get", "pods"],
    ["explain", "pod/p"],
  ]) {
    const text = await printed(attempt, [...args, ...config])
    expect(text.includes("p"), `${args.join(" ")} to print something`, text)
    expect(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text), `no control characters from ${args.join(" ")}`, JSON.stringify(text))
  }
}

/** A directory that came from elsewhere names a process of the user as its owner: `down` signals what the system confirms, and nothing else. */
async function forgedOwner(attempt: Attempt): Promise<void> {
  const { directory, expect } = attempt
  const victim = spawn("sleep", ["300"], { stdio: "ignore" })
  const isOver = () => victim.exitCode !== null || victim.signalCode !== null
  const namespace = readlinkSync("/proc/self/ns/pid")
  const owners = [
    { pid: victim.pid, host: hostname() },
    { pid: victim.pid, host: hostname(), started: "another boot:1", namespace },
    { pid: -1, host: hostname() },
    { pid: 0, host: hostname() },
  ]
  for (const [index, owner] of owners.entries()) {
    const data = join(directory, `data-${index}`)
    mkdirSync(join(data, "storage"), { recursive: true })
    const cluster = { url: "https://127.0.0.1:1", kubeconfig: join(data, "kubeconfig") }
    writeFileSync(join(data, "pilothouse.owner"), JSON.stringify({ ...owner, id: "forged", cluster }))
    writeFileSync(join(data, "pilothouse.lock"), "")
    await printed(attempt, ["down", "--data-dir", data])
    await printed(attempt, ["status", "--data-dir", data])
    expect(!isOver(), `the process of ${JSON.stringify(owner)} to go on`, "that it ended")
  }
  victim.kill("SIGKILL")
}

/** A kubelet that names an address with more in it than a host: nothing is dialled for it, least of all a port of this machine. */
async function nodeAddresses(attempt: Attempt): Promise<void> {
  const { admin, expect, expectStatus } = attempt
  let connections = 0
  const listener = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const { port } = listener.address() as AddressInfo
  const addresses = [`127.0.0.1:${port}/`, `x@127.0.0.1:${port}/?`, `127.0.0.1:${port}#`, `[::ffff:127.0.0.1]:${port}/x`]
  for (const [index, address] of addresses.entries()) {
    const name = `n-${index}`
    expectStatus("a node", await admin.create("/api/v1/nodes", { metadata: { name } }), 201)
    const status = { addresses: [{ type: "InternalIP", address }], daemonEndpoints: { kubeletEndpoint: { Port: port } } }
    const headers = { "content-type": "application/merge-patch+json" }
    await admin.send({ method: "PATCH", path: `/api/v1/nodes/${name}/status`, headers, body: { status } })
    const pod = { metadata: { name: `p-${index}` }, spec: { nodeName: name, containers: [{ name: "c", image: "i" }] } }
    await admin.create("/api/v1/namespaces/default/pods", pod)
    for (const path of [`/api/v1/nodes/${name}/proxy/healthz`, `/api/v1/namespaces/default/pods/p-${index}/log`]) {
      const answer = await admin.send({ path })
      expect(answer.status >= 400, `${path} with the address ${address} to be refused`, answer.status)
    }
  }
  await isTrueWithin(() => connections > 0, 1000)
  expect(connections === 0, "no connection to a port of this machine", connections)
  await new Promise((resolve) => listener.close(resolve))
}

/** Who writes objects or files reaches the one who runs commands, and the machine. */
export const operatorRows: readonly Row[] = [
  { number: 71, name: "control characters of objects on the terminal", server: "up", attempt: terminalEscapes },
  { number: 72, name: "an owner file that names another process", server: "none", attempt: forgedOwner },
  { number: 73, name: "addresses of nodes that are URLs", server: "up", descriptors: 2, attempt: nodeAddresses },
]
