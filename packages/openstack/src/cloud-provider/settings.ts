/** The section [LoadBalancer] of cloud-provider-openstack's configuration. */
export interface BalancerSettings {
  /** False: another controller serves Services of type LoadBalancer; true by default. */
  readonly enabled?: boolean
  readonly subnetId?: string
  readonly networkId?: string
  readonly memberSubnetId?: string
  readonly floatingNetworkId?: string
  readonly floatingSubnetId?: string
  readonly floatingSubnet?: string
  readonly floatingSubnetTags?: string
  /** How many Services may use one balancer; 2 by default. */
  readonly maxSharedBalancers?: number
  /** False: the parts of a balancer are deleted one by one, for providers without cascading deletion; true by default. */
  readonly cascadeDelete?: boolean
  /** A security group for each Service lets its balancer reach the node ports; false by default. */
  readonly manageSecurityGroups?: boolean
  /** With the PROXY protocol the address is published as a host name, for clusters that do not know ipMode; false by default. */
  readonly enableIngressHostname?: boolean
  /** nip.io by default. */
  readonly ingressHostnameSuffix?: string
  /** amphora by default. */
  readonly provider?: string
  /** ROUND_ROBIN by default. */
  readonly method?: string
  readonly flavorId?: string
  readonly availabilityZone?: string
  /** True: no floating IPs. */
  readonly internal?: boolean
  readonly createMonitor?: boolean
  /** Seconds: 5, 3; times: 1, 3. */
  readonly monitor?: { readonly delay?: number; readonly timeout?: number; readonly maxRetries?: number; readonly maxRetriesDown?: number }
  /** "a=b,c": only these nodes get traffic. */
  readonly nodeSelector?: string
  /** Section [Route]: the router that routes to pods; without it the provider has no routes. */
  readonly routerId?: string
  /** Networks by the name that a Service's annotation "class" gives. */
  readonly classes?: Readonly<Record<string, BalancerNetworkSettings>>
}

export type BalancerNetworkSettings = Pick<
  BalancerSettings,
  "subnetId" | "networkId" | "memberSubnetId" | "floatingNetworkId" | "floatingSubnetId" | "floatingSubnet" | "floatingSubnetTags"
>
