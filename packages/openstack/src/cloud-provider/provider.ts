import type { CloudProvider } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import { OctaviaLoadBalancers } from "./load-balancers.ts"
import type { BalancerSettings } from "./settings.ts"

/** The cloud, and the cluster name that stands in the names of its load balancers ("kubernetes" by default). */
export interface OpenStackProviderOptions {
  readonly cloud: OpenStack
  readonly clusterName?: string
  readonly settings?: BalancerSettings
}

/** Services of type LoadBalancer as Octavia load balancers to node ports. */
export function openStackProvider({ cloud, clusterName = "kubernetes", settings = {} }: OpenStackProviderOptions): CloudProvider {
  if (settings.enabled === false) return { name: "openstack", clusterName }
  return { name: "openstack", clusterName, loadBalancers: new OctaviaLoadBalancers(cloud, clusterName, settings) }
}
