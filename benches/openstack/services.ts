import { type Endpoints, endpoints, type Service, services } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import type { Floor } from "./floor.ts"
import { type Counted, type Handlers, more } from "./handlers.ts"
import { type Lab, served, stateKey, untilSo } from "./lab.ts"
import { median } from "./pod-times.ts"
import { against, limited } from "./pods.ts"
import type { TheirNumbers } from "./theirs.ts"

const members = 10

/** A Service with 10 endpoints until its load balancer is ACTIVE with all of them, and written down. */
export async function service(lab: Lab, floor: Floor, theirs: TheirNumbers): Promise<readonly Row[]> {
  await using handlers = await lab.handlers({ kubernetes: { enabled_handlers: "lbaasspec,lb" } })
  const [times, gone]: [number[], number[]] = [[], []]
  const counts: [Counted, Counted][] = []
  for (let round = 0; round < 3; round++) {
    const before = await handlers.counts()
    times.push(await made(lab, `web-${round}`))
    counts.push([before, await settled(handlers)])
    gone.push(await removed(lab, `web-${round}`))
  }
  // The first round also reads what is there already.
  const calls = median(counts.slice(1).map(([before, after]) => more(before.cloud, after.cloud, /lbaas/)))
  return [
    against(
      theirs.of("service", "Service with 10 endpoints → ACTIVE with 10 members"),
      median(times),
      1.2 * floor.oneTree,
      "1.2 × one populated POST",
    ),
    limited(theirs.of("serviceCalls", "calls to Octavia for it"), calls, 8, "calls"),
    { what: "Service deleted → load balancer gone", ours: median(gone), unit: "ms" },
  ]
}

/** With its endpoints. */
export async function makeService({ client }: Lab, name: string): Promise<void> {
  const metadata = { name, namespace: served }
  const addresses = Array.from({ length: members }, (_, at) => ({ ip: `10.10.200.${at + 1}` }))
  const subsets = [{ addresses, ports: [{ port: 8080, protocol: "TCP" as const }] }]
  const spec = { ports: [{ port: 80, targetPort: 8080, protocol: "TCP" as const }] }
  await client.create<Endpoints>(endpoints, { apiVersion: "v1", kind: "Endpoints", metadata, subsets })
  await client.create<Service>(services, { apiVersion: "v1", kind: "Service", metadata, spec })
}

async function made(lab: Lab, name: string): Promise<number> {
  const { client } = lab
  const since = systemClock.elapsed()
  await makeService(lab, name)
  await untilSo(async () => {
    const { annotations } = (await client.get(endpoints, `${served}/${name}`)).metadata
    return (annotations?.[stateKey]?.match(/LBaaSMember"/g)?.length ?? 0) === members
  }, "a load balancer with all members")
  return systemClock.elapsed() - since
}

/** What is looked at once more after the end counts too. */
async function settled(handlers: Handlers): Promise<Counted> {
  await systemClock.sleep(1_500)
  return handlers.counts()
}

async function removed({ client, cloud, project }: Lab, name: string): Promise<number> {
  const since = systemClock.elapsed()
  await client.delete(services, `${served}/${name}`)
  await client.delete(endpoints, `${served}/${name}`)
  await untilSo(
    async () => (await cloud.octavia.loadBalancers.list({ project_id: project, name: `${served}/${name}` })).length === 0,
    "the load balancer to be gone",
    100,
  )
  return systemClock.elapsed() - since
}
