import { type Clock, type Duration, type Log, PilothouseError, type Random } from "@pilothouse/seams"
import type { OpenStack } from "../clients/cloud.ts"
import type { KuryrConfiguration } from "../configuration/configuration.ts"
import type { ClusterMarks } from "./creation/cluster-marks.ts"
import { VifPool } from "./pool/vif-pool.ts"
import { defaultProject, type ProjectDriver } from "./project/project.ts"
import { defaultSecurityGroups, namespaceSecurityGroups, type SecurityGroupsDriver } from "./security-groups/security-groups.ts"
import { defaultSubnets, type NetworkSubnets, type SubnetsDriver } from "./subnets/subnets.ts"
import { nestedMacvlan } from "./vif/nested-macvlan.ts"
import { NestedVlan } from "./vif/nested-vlan.ts"
import { neutronVif } from "./vif/neutron-vif.ts"
import type { PodVifDriver } from "./vif/pod-vif.ts"
import { PortStatus } from "./vif/port-status.ts"

export interface DriverOptions {
  readonly cloud: Pick<OpenStack, "neutron">
  readonly configuration: KuryrConfiguration
  readonly clusterMarks: ClusterMarks
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How long an object has to be without an owner before it is deleted. */
  readonly grace?: Duration
  /** Nothing is done in the background. */
  readonly dryRun?: boolean
}

interface Common {
  readonly project: ProjectDriver
  readonly subnets: SubnetsDriver
  readonly groups: SecurityGroupsDriver
}

/** Where the load balancers of Services and their members are. */
export interface TreeOptions {
  readonly algorithm: string
  /** L3: members are reached through the load balancer's subnet, routed. L2: in the subnet of the pods. */
  readonly memberMode: "L2" | "L3"
  readonly podSubnet: { readonly id: string; readonly cidr: string }
  readonly serviceSubnet: { readonly cidr: string }
  readonly external?: { readonly network: string; readonly subnet?: string }
}

/** One of each kind, chosen by name. */
export interface Drivers {
  readonly pods: Common & {
    readonly driver: PodVifDriver
    readonly pool: VifPool
    readonly status: PortStatus
    /** The same query for ports of running pods: no pod waits for its result, so it has a queue of its own. */
    readonly presence: PortStatus
  }
  readonly services: Common
  readonly tree: (signal: AbortSignal) => Promise<TreeOptions>
}

/** Creates the drivers that a kuryr.conf names. */
export function createDrivers(options: DriverOptions): Drivers {
  const { cloud, configuration, clusterMarks, clock, log, grace, dryRun } = options
  const { neutron } = cloud
  const project = defaultProject(configuration.project)
  const subnets = defaultSubnets(neutron, configuration.podSubnet)
  const serviceSubnets = defaultSubnets(neutron, configuration.serviceSubnet)
  const driver = podVif(options)
  const sizes = configuration.vifPoolDriver === "noop" ? undefined : configuration.pool
  const pool = new VifPool({ driver, clusterMarks, clock, log, sizes, grace, dryRun })
  return {
    pods: {
      project,
      subnets,
      groups: groups(configuration.podSecurityGroupsDriver, configuration),
      driver,
      pool,
      status: new PortStatus(neutron, clock),
      presence: new PortStatus(neutron, clock),
    },
    services: {
      project,
      subnets: serviceSubnets,
      groups: groups(configuration.serviceSecurityGroupsDriver, configuration),
    },
    tree: async (signal) => {
      const [ofPods, ofServices] = await Promise.all([subnets, serviceSubnets].map((one) => one.subnetsFor(anyService, { signal })))
      return treeOptions(configuration, ofPods!, ofServices!)
    },
  }
}

/** The default drivers return the same for every object. */
const anyService = { apiVersion: "v1", kind: "Service", metadata: {} }

function treeOptions(configuration: KuryrConfiguration, ofPods: NetworkSubnets, ofServices: NetworkSubnets): TreeOptions {
  const { memberMode, lbAlgorithm, externalNetwork, externalSubnet } = configuration
  const none = { id: "", cidr: "" }
  const external = externalNetwork === undefined ? undefined : { network: externalNetwork, subnet: externalSubnet }
  const [podSubnet = none] = ofPods.subnets
  const [serviceSubnet = none] = ofServices.subnets
  return { memberMode, algorithm: lbAlgorithm, podSubnet, serviceSubnet, external }
}

function groups(name: "default" | "namespace", { podSecurityGroups }: KuryrConfiguration): SecurityGroupsDriver {
  return name === "default" ? defaultSecurityGroups(podSecurityGroups) : namespaceSecurityGroups(podSecurityGroups)
}

function podVif({ cloud, configuration, clusterMarks, random }: DriverOptions): PodVifDriver {
  const { podVifDriver, vifPoolDriver, project, workerNodesSubnet: nodesSubnet = "" } = configuration
  const fits = vifPoolDriver === "noop" || (vifPoolDriver === "nested") === podVifDriver.startsWith("nested")
  if (!fits || (vifPoolDriver === "nested" && podVifDriver === "nested-macvlan"))
    throw new PilothouseError("INVALID", `[kubernetes] vif_pool_driver = ${vifPoolDriver} does not fit pod_vif_driver = ${podVifDriver}`)
  const { neutron } = cloud
  if (podVifDriver === "nested-vlan") return new NestedVlan({ neutron, clusterMarks, project, nodesSubnet, random })
  if (podVifDriver === "nested-macvlan") return nestedMacvlan({ neutron, clusterMarks, project, nodesSubnet })
  return neutronVif(neutron, clusterMarks, project)
}
