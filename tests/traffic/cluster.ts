import { nodes, services } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import { eventually, startUp, untilRolledOut } from "../real/up-cluster.ts"

const name = "draining-server"
/** Of the Deployment, and of its Service. */
export const key = `default/${name}`

/** `pilothouse up --exec` with the draining server of examples/, as a person would start it. */
export interface Cluster extends AsyncDisposable {
  readonly client: Client
  /** What it tells Prometheus. */
  metrics(): Promise<string>
  /** Of the load balancer. */
  readonly address: string
  readonly port: number
  /** Where nodes listen for the Service. */
  readonly nodePorts: readonly { readonly address: string; readonly port: number }[]
}

export async function startCluster(): Promise<Cluster> {
  await using starting = new AsyncDisposableStack()
  const { client, transport } = starting.use(await startUp(["--exec", "--from", `examples/${name}`], "traffic"))
  await untilRolledOut(client, key)
  const found = await balancerOf(client)
  const nodePorts = await nodePortsOf(client)
  const running = starting.move()
  return { client, metrics: () => textOf(transport), ...found, nodePorts, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function textOf(transport: Transport): Promise<string> {
  const { body } = await transport({ verb: "GET", path: "/metrics", query: {}, headers: { accept: "text/plain" } })
  return body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
}

async function balancerOf(client: Client): Promise<{ readonly address: string; readonly port: number }> {
  let address: string | undefined
  const service = () => client.get(services, key)
  await eventually("an address of the load balancer", async () => {
    address = (await service()).status?.loadBalancer?.ingress?.[0]?.ip
    return address !== undefined
  })
  return { address: address!, port: (await service()).spec?.ports?.[0]?.port ?? 0 }
}

async function nodePortsOf(client: Client): Promise<Cluster["nodePorts"]> {
  const { spec } = await client.get(services, key)
  const { items } = await client.list(nodes)
  const addresses = items.flatMap(({ status }) => status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? [])
  return addresses.map((address) => ({ address, port: spec?.ports?.[0]?.nodePort ?? 0 }))
}
