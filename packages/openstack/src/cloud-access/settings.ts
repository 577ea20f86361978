/** One cloud of a clouds.yaml, or what OS_* variables say, with openstacksdk's names. Undefined and empty are the same. */
export interface CloudSettings {
  readonly auth: Readonly<Record<string, string | undefined>>
  readonly auth_type?: string
  readonly region_name?: string
  readonly interface?: string
  readonly verify?: boolean
  readonly cacert?: string
  /** "network" → "http://…", of network_endpoint_override. */
  readonly endpoints: Readonly<Record<string, string>>
  /** Where it is from, for messages: "cloud devstack of /etc/openstack/clouds.yaml". */
  readonly from: string
}
