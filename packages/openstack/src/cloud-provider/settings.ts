/** The section [LoadBalancer] of cloud-provider-openstack's configuration. */
export interface BalancerSettings {
  /** False: Services of type LoadBalancer are somebody else's; true unless told otherwise. */
  readonly enabled?: boolean
  readonly subnetId?: string
  readonly networkId?: string
  readonly memberSubnetId?: string
  readonly floatingNetworkId?: string
  readonly floatingSubnetId?: string
  readonly floatingSubnet?: string
  readonly floatingSubnetTags?: string
  /** So many Services may use one balancer; 2 unless told otherwise. */
  readonly maxSharedBalancers?: number
  /** False: what hangs on a balancer is deleted piece by piece, for providers that cannot do it at once; true unless told otherwise. */
  readonly cascadeDelete?: boolean
  /** A security group for each Service lets its balancer reach the node ports; not unless told. */
  readonly manageSecurityGroups?: boolean
  /** With the PROXY protocol the address is told as a host name, for clusters that do not know ipMode; not unless told. */
  readonly enableIngressHostname?: boolean
  /** nip.io unless told otherwise. */
  readonly ingressHostnameSuffix?: string
  /** amphora unless told otherwise. */
  readonly provider?: string
  /** ROUND_ROBIN unless told otherwise. */
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
  /** Networks by the name that a Service's annotation "class" gives. */
  readonly classes?: Readonly<Record<string, BalancerNetworkSettings>>
}

export type BalancerNetworkSettings = Pick<
  BalancerSettings,
  "subnetId" | "networkId" | "memberSubnetId" | "floatingNetworkId" | "floatingSubnetId" | "floatingSubnet" | "floatingSubnetTags"
>
