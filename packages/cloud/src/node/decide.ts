import { deepEqual } from "@pilothouse/api"
import type { Node, NodeAddress } from "@pilothouse/api/core/v1"
import { isSameIp } from "@pilothouse/api/net"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { CloudError } from "../provider/cloud-errors.ts"
import type { InstanceMetadata } from "../provider/provider.ts"
import type { Observed } from "./observe.ts"
import { isUninitialized, uninitializedTaint, withoutTaint } from "./uninitialized.ts"

/** Upstream's syncNode: initializes a new node, or keeps the labels and addresses of an initialized one in line with the cloud. */
export function decide({ node, instance, nextIn }: Observed): Plan {
  if (isUninitialized(node)) return instance === undefined ? plan().nothing("the cloud says nothing of it yet") : initialize(node, instance)
  const built = plan()
  const labels = reconciledLabels(node)
  if (Object.keys(labels).length > 0) built.patch(node, { metadata: { labels } }, "labels of one meaning must say the same")
  writeAddresses(built, node, newAddresses(node, instance?.addresses ?? []))
  if (built.steps.length === 0) built.nothing("the node shows what the cloud says of it")
  return built.requeueAfter(nextIn, "its addresses may change in the cloud")
}

/** The taint is removed in the same write that describes the node; the version makes sure that no concurrent taint is lost. */
function initialize(node: Node, instance: InstanceMetadata): Plan {
  const { name, resourceVersion } = node.metadata
  const providerID = node.spec?.providerID || instance.providerId
  // It is written here and never later: a node without it would stay one that balancers and volumes cannot find.
  if (!providerID) throw new CloudError(`cloud provider does not set node provider ID for node ${name}`)
  const spec = { taints: withoutTaint(node, uninitializedTaint), ...(node.spec?.providerID ? {} : { providerID }) }
  const addresses = newAddresses(node, instance.addresses)
  const built = plan()
    .patch(node, { metadata: { resourceVersion, labels: initialLabels(node, instance) }, spec }, "the cloud knows its machine")
    .event(node, "Normal", "Synced", "Node synced successfully")
  if (addresses !== undefined) built.nextStep()
  writeAddresses(built, node, addresses)
  return built.requeueAfter(1000, "its addresses are compared from now on")
}

function writeAddresses(built: PlanBuilder, node: Node, addresses: readonly NodeAddress[] | undefined): void {
  if (addresses !== undefined) built.patch(node, { status: { addresses } }, "the cloud says these addresses", { subresource: "status" })
}

type Labels = Readonly<Record<string, string>>

/** The older name first: where both are present, the older one takes precedence. */
const labelPairs = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
] as const

const reservedLabel = /(^|\.)(kubernetes|k8s)\.io\//

/** Returns the labels of a node that is initialized. Additional labels of the cloud never replace one that is there. */
export function initialLabels({ metadata }: Node, { zone, region, instanceType, additionalLabels }: InstanceMetadata): Labels {
  const said = [zone, region, instanceType]
  const known = labelPairs.flatMap((names, at) => (said[at] ? names.map((name): [string, string] => [name, said[at] ?? ""]) : []))
  const own = Object.entries(additionalLabels ?? {}).filter(([name]) => !reservedLabel.test(name) && !(name in (metadata.labels ?? {})))
  return changedLabels(metadata.labels ?? {}, Object.fromEntries([...own, ...known]))
}

/** Returns the label changes of an initialized node: the newer names follow the older ones. All other labels belong to their writers. */
export function reconciledLabels({ metadata: { labels = {} } }: Node): Labels {
  const follow = labelPairs.flatMap(([older, newer]): [string, string][] => (labels[older] === undefined ? [] : [[newer, labels[older]]]))
  return changedLabels(labels, Object.fromEntries(follow))
}

function changedLabels(labels: Labels, wanted: Labels): Labels {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => labels[name] !== value))
}

/** The annotation by which a kubelet requests its addresses; two with a comma for both families. */
const providedAddress = "alpha.kubernetes.io/provided-node-ip"

/**
 * Returns the addresses to write into the node's status, or undefined where it has them already or the cloud reports none.
 * The hostname is the kubelet's where the cloud reports none; of each type only the address that the kubelet requests is kept, where it requests one.
 */
export function newAddresses(node: Node, said: readonly NodeAddress[]): readonly NodeAddress[] | undefined {
  if (said.length === 0) return undefined
  const shown = node.status?.addresses ?? []
  const hostnames = said.some(({ type }) => type === "Hostname") ? [] : shown.filter(({ type }) => type === "Hostname")
  const wanted = preferred(node, [...said, ...hostnames])
  return deepEqual(sorted(shown), sorted(wanted)) ? undefined : wanted
}

function preferred({ metadata }: Node, addresses: readonly NodeAddress[]): readonly NodeAddress[] {
  const asked = metadata.annotations?.[providedAddress]
  if (asked === undefined) return addresses
  const ips = asked.split(",").map((ip) => ip.trim())
  const first = ips.flatMap((ip) => {
    const found = addresses.filter(({ address }) => isSameIp(address, ip))
    if (found.length === 0) throw new CloudError(`failed to get node address from cloud provider that matches ip: ${ip}`)
    return found
  })
  const settled = new Set(first.map(({ type }) => type))
  return [...first, ...addresses.filter(({ type }) => !settled.has(type))]
}

function sorted(addresses: readonly NodeAddress[]): readonly string[] {
  return addresses.map(({ type, address }) => `${type} ${address}`).sort()
}
