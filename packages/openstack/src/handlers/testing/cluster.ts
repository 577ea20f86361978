import { type Pod, pods, type Service } from "@pilothouse/api/core/v1"
import { type Clock, seededRandom, silentLog } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import type { Connect } from "../../clients/calls/keystone.ts"
import { openStack } from "../../clients/cloud.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { kuryrConfiguration } from "../../configuration/configuration.ts"
import { EmbeddedOpenStack } from "../../embedded/embedded-open-stack.ts"
import { type Kuryr, type KuryrOptions, kuryr } from "../../kuryr.ts"
import { decodeVif } from "../../versioned-objects/annotations.ts"
import type { Vif } from "../../versioned-objects/objects.ts"
import { vifAnnotation } from "../annotations.ts"

/** Of the test cluster's API server. */
const serviceRange = "10.96.0.0/12"

export interface TestCloudOptions {
  readonly clock: Clock
  readonly cloud?: EmbeddedOpenStack
  /** Sections of kuryr.conf beside what has to be there. */
  readonly sections?: Readonly<Record<string, Readonly<Record<string, string | number>>>>
  readonly kuryr?: Partial<KuryrOptions>
  /** Between the handlers and the cloud; created whenever they start. */
  readonly layer?: (inner: Connect) => Connect
}

/** The handlers on an embedded cloud. */
export function handlersOn(
  cloud: EmbeddedOpenStack,
  { clock, sections = {}, kuryr: more, layer = (inner) => inner }: TestCloudOptions,
): Kuryr {
  const { seed } = cloud
  const defaults = {
    project: seed.project,
    pod_subnet: seed.podSubnet,
    service_subnet: cloud.serviceSubnet(serviceRange),
    pod_security_groups: seed.podSecurityGroup,
    external_svc_net: seed.publicNetwork,
  }
  const configuration = kuryrConfiguration({ ...sections, neutron_defaults: { ...defaults, ...sections.neutron_defaults } })
  const loadBalancing = configuration.lbaasDriver === "lbaasv2" ? "neutron-lbaas" : "octavia"
  const clients = openStack({ access: cloud.access(), connect: layer(cloud.connect), clock, loadBalancing })
  return kuryr({ cloud: clients, configuration, cluster: "cluster-one", clock, random: seededRandom(5), ...more })
}

export interface TestCluster extends AsyncDisposable {
  readonly cluster: Cluster
  readonly cloud: EmbeddedOpenStack
  /** The handlers that run now. */
  kuryr(): Kuryr
}

/** A cluster whose pods get their ports from an embedded cloud. */
export async function testCluster(
  options: Omit<TestCloudOptions, "clock"> & { readonly cluster?: ClusterOptions } = {},
): Promise<TestCluster> {
  let cloud = options.cloud
  let running: Kuryr | undefined
  const made = await cluster({
    // Simulated kubelets would not wait for a port: readyPod() plays their part.
    nodes: 0,
    // Clouds refuse, and are slow: the rows say what follows.
    expectFailure: /^(lb|vif) /,
    controllers: ["endpoint", "endpointslice"],
    // Most rows are of what goes wrong.
    log: silentLog,
    // A load balancer has one owner: the handlers.
    loadBalancers: false,
    ...options.cluster,
    extra: (clock) => {
      cloud ??= new EmbeddedOpenStack({ clock, random: seededRandom(11) })
      running = handlersOn(cloud, { ...options, clock })
      return running.controllers
    },
  })
  for (const name of ["node1", "node2"]) await made.apply({ apiVersion: "v1", kind: "Node", metadata: { name } })
  return { cluster: made, cloud: cloud!, kuryr: () => running!, [Symbol.asyncDispose]: () => made.close() }
}

export function testPod(name: string, more: Partial<Pod["spec"]> = {}, labels: Readonly<Record<string, string>> = { app: "web" }): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels },
    spec: { nodeName: "node1", containers: [{ name: "main", image: "web" }], ...more },
  }
}

export function testService(name: string, spec: Partial<Service["spec"]> = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }], ...spec },
  }
}

/** The VIF on a pod. */
export async function podVif({ cluster }: Pick<TestCluster, "cluster">, name: string): Promise<Vif | undefined> {
  const text = (await cluster.client.get(pods, `default/${name}`)).metadata.annotations?.[vifAnnotation]
  return text === undefined ? undefined : decodeVif(text)
}

/** As a kubelet with kuryr's CNI plugin does: once the VIF is active the pod runs, with the port's address. */
export async function readyPod(run: Pick<TestCluster, "cluster">, name: string): Promise<void> {
  await run.cluster.until(async () => (await podVif(run, name))?.active === true)
  const podIP = (await podVif(run, name))?.network?.subnets?.[0]?.ips?.[0]?.address
  const conditions = [{ type: "Ready", status: "True" }]
  const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], hostIP: "192.168.0.10", conditions }
  await run.cluster.client.patch(pods, { metadata: { namespace: "default", name } }, { status }, { subresource: "status" })
}

/** The ports of pods that the cloud has. */
export function podPorts({ cloud }: Pick<TestCluster, "cloud">): readonly Port[] {
  return [...cloud.neutron.ports.values()].filter(
    ({ device_owner }) => device_owner === "compute:kuryr" || device_owner === "trunk:subport",
  )
}
