/** The section [LoadBalancer] of cloud-provider-openstack's configuration. */
export interface BalancerSettings {
  readonly subnetId?: string
  readonly networkId?: string
  readonly memberSubnetId?: string
  readonly floatingNetworkId?: string
  readonly floatingSubnetId?: string
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
  readonly classes?: Readonly<
    Record<string, Pick<BalancerSettings, "subnetId" | "networkId" | "memberSubnetId" | "floatingNetworkId" | "floatingSubnetId">>
  >
}
