import { formatTime, type KubeObject } from "@pilothouse/api"
import { configMaps, endpoints, namespaces, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { flowSchemas as flowSchemaDescriptor, priorityLevelConfigurations } from "@pilothouse/api/flowcontrol/v1"
import { ipAddresses, serviceCIDRs } from "@pilothouse/api/networking/v1"
import { priorityClasses } from "@pilothouse/api/scheduling/v1"
import { stringifyJson } from "@pilothouse/seams"
import { ownedAsApplied, ownedAsCreated, ownedAsUpdated } from "../objects/owned-by-server.ts"
import { stamped } from "../objects/stamped.ts"
import { objectKey, readObject } from "../registry/object-key.ts"
import type { Server } from "../server/server.ts"
import { ipAddressOf } from "../services/ip-addresses.ts"
import type { Stored, Write } from "../storage/storage.ts"
import { addMissingAddresses } from "./address-repair.ts"
import { apiEndpointSlice, apiEndpoints, apiService } from "./api-service.ts"
import { appliedReady, defaultServiceCidr, readyServiceCidr } from "./default-service-cidr.ts"
import { appliedFinding, flowConfigProducer, flowSchemas } from "./flow-schemas.ts"
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
    ...namespaceNames.map((name): Wanted => ({ descriptor: namespaces, object: systemNamespace(name), filled: [["f:spec"]] })),
    ...systemPriorityClasses.map((object): Wanted => ({ descriptor: priorityClasses, object })),
    ...priorityLevels.map((object): Wanted => ({ descriptor: priorityLevelConfigurations, object, manager: flowConfigProducer })),
    ...flowSchemas(formatTime(clock.now())).map(
      (object): Wanted => ({ descriptor: flowSchemaDescriptor, object, manager: flowConfigProducer, applied: appliedFinding(object) }),
    ),
    {
      descriptor: serviceCIDRs,
      object: defaultServiceCidr(addresses.range, clock.now()),
      applied: appliedReady(clock.now()),
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
  // The addresses and families are what the strategy makes of the one address.
  const filled = [
    ["f:spec", "f:clusterIPs"],
    ["f:spec", "f:ipFamilies"],
  ]
  const service: Wanted = { descriptor: services, object, filled, isKept: true }
  if (readObject(storage, registry.served(services), object.metadata.namespace, object.metadata.name ?? "") !== undefined) return [service]
  const address = ipAddressOf(addresses.first, object, random.uuid(), clock.now())
  return [service, { descriptor: ipAddresses, object: address, isKept: true }]
}

/** Nothing where the object is there and says what it should. */
function writeOf(server: Server, one: Wanted): readonly Write[] {
  const { registry, storage } = server
  const { namespace, name = "" } = one.object.metadata
  const key = objectKey(registry.served(one.descriptor), namespace, name)
  const stored = storage.get(key)
  return stored === undefined ? [creation(server, one, key)] : corrections(server, one, stored)
}

function creation(server: Server, { descriptor, object, ...owned }: Wanted, key: string): Write {
  const { clock, random } = server
  const metadata = { ...object.metadata, uid: random.uuid(), creationTimestamp: formatTime(clock.now()) }
  const managedFields = ownedAsCreated(server, descriptor, object, owned)
  return { key, expected: 0, make: (revision) => stamped({ ...object, metadata }, revision, managedFields) }
}

function corrections(server: Server, { descriptor, object, renew = [], amend }: Wanted, stored: Stored): readonly Write[] {
  const { object: amended, applied } = amend?.(stored.value) ?? { object: stored.value }
  const fields = Object.fromEntries(renew.map((field) => [field, fieldOf(object, field)]))
  const same = renew.every((field) => stringifyJson(fieldOf(stored.value, field)) === stringifyJson(fields[field]))
  if (same && amended === stored.value) return []
  const next = { ...amended, ...fields }
  const managedFields =
    applied === undefined
      ? ownedAsUpdated(server, descriptor, stored.value, next)
      : ownedAsApplied(server, descriptor, stored.value, applied)
  return [{ key: stored.key, expected: stored.revision, make: (revision) => stamped(next, revision, managedFields) }]
}

function fieldOf(object: KubeObject, field: string): unknown {
  return (object as KubeObject & Readonly<Record<string, unknown>>)[field]
}
