import { labelSelectorOf, parseLabelSelector } from "@pilothouse/api"
import type { KubeRegistryOptions } from "@pilothouse/discovery"
import type { Command } from "commander"
import { goDuration, oneOf, readBy } from "../flags/flag-values.ts"

/** What of a cluster is read, and by which rules; the same for all clusters. */
export type RegistrySettings = Pick<
  KubeRegistryOptions,
  "namespaces" | "discoverySelectors" | "resync" | "domainSuffix" | "trustDomain" | "network" | "endpoints" | "externalNames"
>

/** The values of the flags that `addRegistryFlags` adds. */
export interface RegistryFlags {
  readonly watchNamespace?: readonly string[]
  readonly discoverySelector?: readonly string[]
  readonly resync?: number
  readonly domainSuffix?: string
  readonly trustDomain?: string
  readonly network?: string
  readonly endpointsFrom?: "slices" | "endpoints"
  readonly externalNames?: "instances" | "alias"
}

/** The options of Pilot's registry of 2019, and where today's rules are others than its. */
export function addRegistryFlags(command: Command): Command {
  return command
    .option("--watch-namespace <name...>", "namespaces to read (default: all)")
    .option("--discovery-selector <labels>", "read only namespaces with such labels; said again, one of them is enough", selectors)
    .option("--resync <duration>", "look at everything again after this time, event or not; 10m (default: never)", goDuration("--resync"))
    .option("--domain-suffix <name>", "end of every hostname (default: cluster.local)")
    .option("--trust-domain <name>", "of the identities of pods (default: cluster.local)")
    .option("--network <name>", "network of endpoints of which nothing else says it")
    .option(
      "--endpoints-from <kind>",
      "what says where endpoints are: slices or endpoints (default: slices)",
      oneOf("--endpoints-from", ["slices", "endpoints"]),
    )
    .option(
      "--external-names <rule>",
      "what an ExternalName has: instances with that name as their address, or none, being an alias (default: instances)",
      oneOf("--external-names", ["instances", "alias"]),
    )
}

/** Returns the settings of the registry that the flags say; what no flag says stays at its default. */
export function registrySettings(flags: RegistryFlags): RegistrySettings {
  const { watchNamespace, discoverySelector, resync, domainSuffix, trustDomain, network, endpointsFrom, externalNames } = flags
  return {
    namespaces: watchNamespace,
    discoverySelectors: discoverySelector?.flatMap((text) => labelSelectorOf(parseLabelSelector(text)) ?? []),
    resync,
    domainSuffix,
    trustDomain,
    network,
    endpoints: endpointsFrom,
    externalNames,
  }
}

/** Checked one by one, so that the message has the one that is wrong; what the form of objects cannot say (a > 3) is refused too. */
function selectors(text: string, before: readonly string[] = []): readonly string[] {
  const read = readBy("--discovery-selector", 'labels such as "mesh=on,team in (a,b)"', (one) => labelSelectorOf(parseLabelSelector(one)))
  return [...before, read(text)]
}
