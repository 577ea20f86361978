import { nodes } from "@pilothouse/api/core/v1"
import type { Clock, Duration } from "@pilothouse/seams"
import { seededRandom } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import type { CloudAccess, Connect } from "../../clients/calls/keystone.ts"
import { type OpenStack, openStack } from "../../clients/cloud.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { kuryrConfiguration } from "../../configuration/configuration.ts"
import { isOfCluster } from "../../drivers/creation/cluster-marks.ts"
import { kuryr } from "../../kuryr.ts"
import { type CloudCall, type HandlersSetup, type HandlersSubject, listPorts, served } from "./subject.ts"

/** What the handlers have to know of a cloud. */
export interface HandlersCloud {
  readonly access: CloudAccess
  readonly connect: Connect
  readonly project: string
  readonly podSubnet: string
  readonly serviceSubnet: string
  readonly nodeSubnet: string
  readonly publicNetwork: string
  readonly podSecurityGroup: string
}

export interface RunningHandlers {
  readonly cluster: Cluster
  readonly subject: Omit<HandlersSubject, "until" | "pass" | keyof AsyncDisposable>
}

export interface HandlersOptions {
  readonly time: "virtual" | "real"
  /** By which the handlers know their cluster. */
  readonly name: string
  readonly cloud: (clock: Clock) => HandlersCloud
  readonly sweep?: { readonly every: Duration; readonly grace: Duration }
}

/** A cluster with the handlers, on any cloud. */
export async function startHandlers(options: HandlersOptions, { sections = {}, source }: HandlersSetup = {}): Promise<RunningHandlers> {
  const { time, name } = options
  const calls: CloudCall[] = []
  let place: HandlersCloud | undefined
  const made = await cluster({
    time,
    // Simulated kubelets would not wait for a port.
    nodes: 0,
    // Clouds refuse, and are slow: the rows say what follows.
    expectFailure: /^(lb|vif) /,
    controllers: ["endpoint", "endpointslice"],
    extra: (clock) => {
      place ??= options.cloud(clock)
      const { access, project } = place
      const defaults = {
        project,
        pod_subnet: place.podSubnet,
        service_subnet: place.serviceSubnet,
        pod_security_groups: place.podSecurityGroup,
        external_svc_net: place.publicNetwork,
      }
      const nested = { worker_nodes_subnet: place.nodeSubnet }
      const configuration = kuryrConfiguration({ ...sections, neutron_defaults: defaults, pod_vif_nested: nested })
      const cloud = openStack({ access, connect: counted(place.connect, calls), clock })
      const select = { namespaces: "served=yes" }
      const { sweep } = options
      return kuryr({ cloud, configuration, cluster: name, clock, random: seededRandom(5), source, select, sweep }).controllers
    },
  })
  await furnish(made)
  const { access, connect, project, serviceSubnet } = place!
  const cloud = openStack({ access, connect, clock: made.clock })
  return { cluster: made, subject: { cluster: made, cloud, clusterMarks: { cluster: name }, project, serviceSubnet, calls: () => calls } }
}

async function furnish({ apply, client }: Cluster): Promise<void> {
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: served, labels: { served: "yes" } } })
  for (const [name, address] of [
    ["node1", "192.168.0.10"],
    ["node2", "192.168.0.11"],
  ] as const) {
    await apply({ apiVersion: "v1", kind: "Node", metadata: { name } })
    const addresses = [{ type: "InternalIP", address }]
    await client.patch(nodes, { metadata: { name } }, { status: { addresses } }, { subresource: "status" })
  }
}

function counted(connect: Connect, calls: CloudCall[]): Connect {
  return (url) => {
    const transport = connect(url)
    return (request) => {
      const { verb, path } = request
      // Octavia's address has no version in it, or has one: the path alone would be either.
      calls.push({ verb, path: new URL(path, "http://cloud").pathname })
      return transport(request)
    }
  }
}

/** Takes away what a cluster left in the cloud. */
export async function removeAll(subject: Pick<HandlersSubject, "cloud" | "clusterMarks" | "project">): Promise<void> {
  const { cloud, clusterMarks, project } = subject
  const { neutron, octavia, polls } = cloud
  for (const floating of await neutron.floatingIps.list({ project_id: project }))
    if (isOfCluster(floating, clusterMarks)) await neutron.floatingIps.delete(floating.id)
  for (const balancer of await octavia.loadBalancers.list({ project_id: project })) {
    if (!isOfCluster(balancer, clusterMarks) || (await polls.untilChangeable(balancer.id)) === undefined) continue
    await octavia.loadBalancers.delete(balancer.id, { cascade: true })
    await polls.untilGone(balancer.id)
  }
  await removePorts(cloud, await listPorts(subject))
}

async function removePorts({ neutron }: OpenStack, ports: readonly Port[]): Promise<void> {
  const ids = new Set(ports.map(({ id }) => id))
  for (const { id, sub_ports } of await neutron.trunks.list()) {
    const theirs = sub_ports.map(({ port_id }) => port_id).filter((port) => ids.has(port))
    if (theirs.length > 0) await neutron.trunks.removeSubports(id, theirs)
  }
  const gone = new Set(ports.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address)))
  for (const { id, allowed_address_pairs } of ports.length === 0 ? [] : await neutron.ports.list()) {
    const left = allowed_address_pairs.filter(({ ip_address }) => !gone.has(ip_address))
    if (left.length < allowed_address_pairs.length) await neutron.ports.update(id, { allowed_address_pairs: left })
  }
  for (const id of ids) await neutron.ports.delete(id)
}
