import { type Clock, seededRandom } from "@pilothouse/seams"
import type { Cluster } from "@pilothouse/testing"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { handlersContract } from "./handlers.contract.ts"
import { type HandlersCloud, startHandlers } from "./testing/handlers.ts"
import type { HandlersSubject, MakeHandlers } from "./testing/subject.ts"

/** Clusters of one row share a cloud; time passes for all of them alike. */
const running: Cluster[] = []
let shared: EmbeddedOpenStack | undefined

const onEmbedded: MakeHandlers = async (setup) => {
  if (running.length === 0) shared = undefined
  const name = `cluster-${running.length}`
  const { cluster, subject } = await startHandlers({ time: "virtual", name, cloud: cloudOn }, setup)
  if (running.length === 0) await node(subject)
  running.push(cluster)
  const pass = async (milliseconds: number) => {
    for (const one of running) await one.advance(milliseconds)
  }
  return {
    ...subject,
    pass,
    async until(condition) {
      for (let steps = 0; !(await condition()); steps++) {
        if (steps === 20_000) throw new Error("expected something that did not come about in 2000 s")
        await pass(100)
      }
    },
    async [Symbol.asyncDispose]() {
      running.splice(running.indexOf(cluster), 1)
      await cluster.close()
    },
  }
}

function cloudOn(clock: Clock): HandlersCloud {
  const cloud = (shared ??= new EmbeddedOpenStack({ clock, random: seededRandom(11), knobs: { hosts: ["node1", "node2"] } }))
  return { ...cloud.seed, serviceSubnet: cloud.serviceSubnet("10.96.0.0/12"), access: cloud.access(), connect: cloud.connect }
}

/** The machine that node1 is. */
async function node({ cloud: { neutron } }: Pick<HandlersSubject, "cloud">): Promise<void> {
  const { nodeNetwork, nodeSubnet } = shared!.seed
  const fixed_ips = [{ subnet_id: nodeSubnet, ip_address: "192.168.0.10" }]
  const { id } = await neutron.ports.create({ network_id: nodeNetwork, name: "node1", fixed_ips })
  await neutron.trunks.create({ port_id: id })
  await neutron.ports.update(id, { "binding:host_id": "node1", device_owner: "compute:nova" })
}

handlersContract("embedded", onEmbedded)
