import { milliseconds } from "@pilothouse/seams"
import { parseIni, type Sections } from "../configuration/ini.ts"
import type { BalancerSettings } from "./settings.ts"

type Values = Readonly<Record<string, string>>

/** cloud.conf of cloud-provider-openstack: its sections [LoadBalancer], [LoadBalancerClass "x"] and [Route]. Values may stand in quotes. */
export function readCloudConf(text: string, file = "cloud.conf"): BalancerSettings {
  const sections = parseIni(text, file)
  const values = unquoted(sections.LoadBalancer)
  const number = (name: string) => (values[name] === undefined ? undefined : Number(values[name]))
  const seconds = (name: string) => (values[name] === undefined ? undefined : milliseconds(values[name]) / 1000)
  return {
    ...networkSettings(values),
    enabled: isTrue(values.enabled),
    maxSharedBalancers: number("max-shared-lb"),
    cascadeDelete: isTrue(values["cascade-delete"]),
    manageSecurityGroups: isTrue(values["manage-security-groups"]),
    enableIngressHostname: isTrue(values["enable-ingress-hostname"]),
    ingressHostnameSuffix: values["ingress-hostname-suffix"],
    provider: values["lb-provider"],
    method: values["lb-method"],
    flavorId: values["flavor-id"],
    availabilityZone: values["availability-zone"],
    internal: isTrue(values["internal-lb"]),
    createMonitor: isTrue(values["create-monitor"]),
    monitor: {
      delay: seconds("monitor-delay"),
      timeout: seconds("monitor-timeout"),
      maxRetries: number("monitor-max-retries"),
      maxRetriesDown: number("monitor-max-retries-down"),
    },
    nodeSelector: values["node-selector"],
    classes: classSettings(sections),
    routerId: unquoted(sections.Route)["router-id"],
  }
}

function networkSettings(values: Values) {
  return {
    subnetId: values["subnet-id"],
    networkId: values["network-id"],
    memberSubnetId: values["member-subnet-id"],
    floatingNetworkId: values["floating-network-id"],
    floatingSubnetId: values["floating-subnet-id"],
    floatingSubnet: values["floating-subnet"],
    floatingSubnetTags: values["floating-subnet-tags"],
  }
}

function classSettings(sections: Sections): BalancerSettings["classes"] {
  const entries = Object.entries(sections).flatMap(([name, values]) => {
    const [, quoted, plain] = /^LoadBalancerClass\s+(?:"([^"]+)"?|([^"\s][^"]*)"?)$/.exec(name) ?? []
    const of = quoted ?? plain
    return of === undefined ? [] : [[of, networkSettings(unquoted(values))] as const]
  })
  return Object.fromEntries(entries)
}

function unquoted(values: Values = {}): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isQuoted(value) ? value.slice(1, -1) : value]))
}

function isQuoted(value: string): boolean {
  return value.length > 1 && (value.startsWith('"') || value.startsWith("'")) && value.endsWith(value[0]!)
}

function isTrue(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : /^(true|1|yes|on)$/i.test(text)
}
