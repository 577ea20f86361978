// npm run test:traffic [-- --requests=10000]: real HTTP and UDP through a LoadBalancer Service of `pilothouse up --exec` to pods that are
// real processes, while rolling updates replace every one of them. So many requests of each protocol, and not one may fail.
import { parseArgs } from "node:util"
import { type Group, Tally } from "../real/tally.ts"
import { rollOut } from "../real/up-cluster.ts"
import { type Cluster, key, startCluster } from "./cluster.ts"
import { httpLane } from "./http-lane.ts"
import { Load } from "./load.ts"
import { udpLane } from "./udp-lane.ts"

/** Of each kind. */
const lanes = 4
const minRollouts = 2

const { values } = parseArgs({ options: { requests: { type: "string", default: "10000" } } })
const wanted = Number(values.requests)
const tally = new Tally(console.log)
await using cluster = await startCluster()
await tally.group(`rolling updates under load of ${cluster.address}:${cluster.port}`, (group) => underLoad(group, cluster))
await tally.group("node ports of nodes that are this host", (group) => throughNodes(group, cluster))
console.log(String(tally))
process.exitCode = tally.failed === 0 ? 0 : 1

async function underLoad(group: Group, { client, metrics, address, port }: Cluster): Promise<void> {
  const many = (make: () => ReturnType<typeof udpLane>) => Array.from({ length: lanes }, make)
  const loads = {
    "HTTP, a connection for each request": new Load(
      "new",
      many(() => httpLane(address, port, false)),
    ),
    "HTTP, connections that are kept": new Load(
      "kept",
      many(() => httpLane(address, port, true)),
    ),
    "UDP, flows": new Load(
      "flow",
      many(() => udpLane(address, port)),
    ),
  }
  const all = Object.values(loads)
  const started = performance.now()
  let rollouts = 0
  const sent = (protocol: string) =>
    Object.entries(loads).reduce((sum, [name, load]) => sum + (name.startsWith(protocol) ? load.sent : 0), 0)
  while (rollouts < minRollouts || sent("HTTP") < wanted || sent("UDP") < wanted) await rollOut(client, key, ++rollouts)
  await Promise.all(all.map((load) => load.stop()))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  for (const [name, load] of Object.entries(loads)) judge(group, name, load, rollouts)
  judgeCounters(group, await metrics(), loads)
  group.note(`${rollouts} rolling updates of 3 pods in ${seconds} s`)
}

/** As a cloud provider that sends traffic to nodes would. */
async function throughNodes(group: Group, { nodePorts }: Cluster): Promise<void> {
  group.case("three nodes", nodePorts.length === 3 ? undefined : `${nodePorts.length} nodes`)
  for (const { address, port } of nodePorts) {
    using lane = httpLane(address, port, false)
    const answered = await lane.ask("node-port").catch((error: Error) => error)
    group.case(`${address}:${port}`, answered instanceof Error ? answered.message : undefined)
  }
}

function judge(group: Group, name: string, { sent, failures, answered, moves }: Load, rollouts: number): void {
  const failed = failures.length === 0 ? undefined : `${failures.length} of ${sent} failed:\n${failures.slice(0, 20).join("\n")}`
  group.case(`${name}: none failed`, failed)
  const pods = 3 * (rollouts + 1)
  // The first of all pods may have gone before a client of few flows came to it.
  group.case(`${name}: the new pods answer`, answered.size > pods / 2 ? undefined : `only ${answered.size} of ${pods} pods answered`)
  group.case(`${name}: clients move`, moves > 0 ? undefined : "every client had one pod all along")
  group.note(`${name}: ${sent} requests, ${failures.length} failed, ${answered.size} of ${pods} pods answered, ${moves} moves`)
}

/** The balancer has counted what went through it. */
function judgeCounters(group: Group, text: string, loads: Readonly<Record<string, Load>>): void {
  const min = {
    connections_total: loads["HTTP, a connection for each request"]?.sent ?? 0,
    datagrams_total: loads["UDP, flows"]?.sent ?? 0,
  }
  for (const [name, sent] of Object.entries(min)) {
    const [, value = "0"] = new RegExp(`^pilothouse_loopback_${name}\\{.*\\} (\\d+)$`, "m").exec(text) ?? []
    group.case(`/metrics has ${name}`, Number(value) >= sent ? undefined : `${value} for ${sent} requests`)
  }
}
