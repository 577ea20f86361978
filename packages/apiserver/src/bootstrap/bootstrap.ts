import { formatTime, type KubeObject } from "@pilothouse/api"
import { configMaps, endpoints, namespaces, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { flowSchemas as flowSchemaDescriptor, priorityLevelConfigurations } from "@pilothouse/api/flowcontrol/v1"
import { ipAddresses, serviceCIDRs } from "@pilothouse/api/networking/v1"
import { priorityClasses } from "@pilothouse/api/scheduling/v1"
import { stringifyJson } from "@pilothouse/seams"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { stamped } from "../objects/metadata.ts"
import { objectKey, readObject } from "../registry/object-key.ts"
import type { Server } from "../server/server.ts"
import { ipAddressOf } from "../services/ip-addresses.ts"
import type { Write } from "../storage/storage.ts"
import { addMissingAddresses } from "./address-repair.ts"
import { apiEndpointSlice, apiEndpoints, apiService } from "./api-service.ts"
import { defaultServiceCidr, readyServiceCidr } from "./default-service-cidr.ts"
import { flowSchemas } from "./flow-schemas.ts"
import { bindKnownUsers } from "./known-users.ts"
import { localApiServices } from "./local-api-services.ts"
import { priorityLevels } from "./priority-levels.ts"
import { reconcilePolicy } from "./role-policy.ts"
import { authenticationConfig, namespaceNames, systemNamespace, systemPriorityClasses, tokenTracking } from "./system-objects.ts"
import type { BootstrapOptions, Wanted } from "./wanted.ts"

/** Puts in what every cluster has, where it is missing. With storage in memory that is done when the call returns. */
export async function bootstrap(server: Server, options: BootstrapOptions): Promise<void> {
  const bound = server.rules === undefined ? undefined : bindKnownUsers(server)
  const addressed = addMissingAddresses(server)
  const filled = fill(server, wanted(server, options))
  const reconciled = server.rules === undefined ? undefined : reconcilePolicy(server, options.componentRoles)
  await Promise.all([bound, addressed, filled, reconciled])
}

/** The same of what has to be there at any time. */
export function mendKept(server: Server, options: BootstrapOptions): Promise<void> {
  return fill(
    server,
    wanted(server, options).filter(({ isKept }) => isKept),
  )
}

async function fill(server: Server, all: readonly Wanted[]): Promise<void> {
  const missing = all.flatMap((one) => writeOf(server, one))
  if (missing.length > 0) await server.storage.commit(missing)
}

function wanted(server: Server, options: BootstrapOptions): readonly Wanted[] {
  const { addresses, clock } = server
  return [
    ...localApiServices(server),
    ...namespaceNames.map((name): Wanted => ({ descriptor: namespaces, object: systemNamespace(name) })),
    ...systemPriorityClasses.map((object): Wanted => ({ descriptor: priorityClasses, object })),
    ...priorityLevels.map((object): Wanted => ({ descriptor: priorityLevelConfigurations, object })),
    ...flowSchemas(formatTime(clock.now())).map((object): Wanted => ({ descriptor: flowSchemaDescriptor, object })),
    {
      descriptor: serviceCIDRs,
      object: defaultServiceCidr(addresses.range, clock.now()),
      amend: (stored) => readyServiceCidr(stored, addresses.range, clock.now()),
      isKept: true,
    },
    ...apiServiceWanted(server, options),
    // Where the API is may change from start to start; the rest is left as people have made it.
    { descriptor: endpoints, object: apiEndpoints(options.advertise), renew: ["subsets"], isKept: true },
    {
      descriptor: endpointSlices,
      object: apiEndpointSlice(options.advertise),
      renew: ["addressType", "endpoints", "ports"],
      isKept: true,
    },
    { descriptor: configMaps, object: tokenTracking(formatTime(clock.now()).slice(0, 10)) },
    {
      descriptor: configMaps,
      object: authenticationConfig(options),
      renew: options.clientCa === undefined && options.frontProxy === undefined ? [] : ["data"],
    },
  ]
}

/** The Service of the API; where it is missing, with its IPAddress. */
function apiServiceWanted({ addresses, registry, storage, random, clock }: Server, { advertise }: BootstrapOptions): readonly Wanted[] {
  const object = apiService(addresses.first, advertise)
  const service: Wanted = { descriptor: services, object, isKept: true }
  if (readObject(storage, registry.served(services), object.metadata.namespace, object.metadata.name ?? "") !== undefined) return [service]
  const address = ipAddressOf(addresses.first, object, random.uuid(), clock.now())
  return [service, { descriptor: ipAddresses, object: address, isKept: true }]
}

/** Nothing where the object is there and says what it should. */
function writeOf(server: Server, { descriptor, object, renew = [], amend }: Wanted): readonly Write[] {
  const { registry, clock, random, storage } = server
  const { namespace, name = "" } = object.metadata
  const key = objectKey(registry.served(descriptor), namespace, name)
  const stored = storage.get(key)
  if (stored === undefined) {
    const metadata = { ...object.metadata, uid: random.uuid(), creationTimestamp: formatTime(clock.now()) }
    return [{ key, expected: 0, make: (revision) => stamped({ ...object, metadata }, revision) }]
  }
  const amended = amend?.(stored.value) ?? stored.value
  const fields = Object.fromEntries(renew.map((field) => [field, fieldOf(object, field)]))
  const same = renew.every((field) => stringifyJson(fieldOf(stored.value, field)) === stringifyJson(fields[field]))
  return same && amended === stored.value
    ? []
    : [
        {
          key,
          expected: stored.revision,
          make: (revision) => stamped({ ...amended, ...fields }, revision, managedFieldsOf(stored.value)),
        },
      ]
}

function fieldOf(object: KubeObject, field: string): unknown {
  return (object as KubeObject & Readonly<Record<string, unknown>>)[field]
}
