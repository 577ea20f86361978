import { type KubeObject, statusErrorIn } from "@pilothouse/api"
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionCondition,
  customResourceDefinitions,
} from "@pilothouse/api/apiextensions/v1"
import { type Clock, type Duration, messageOf, PilothouseError, withTimeout } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"

/** Milliseconds. A server that runs in several processes shows a kind in discovery up to a second after its definition is established. */
const discoveryInterval = 100

/** What carries its CustomResourceDefinition, as the kinds of defineKind do. */
export interface DefinedKind {
  readonly definition: CustomResourceDefinition
}

/** Options of applyDefinitions. */
export interface ApplyDefinitionsOptions {
  readonly clock: Clock
  /** The manager of the fields that are applied; it takes over those of others. */
  readonly fieldManager: string
  readonly signal?: AbortSignal
  /** Does not wait until they are established, which in a dry run they never are. */
  readonly dryRun?: boolean
}

/** The definition itself, or that of a kind. */
export function definitionIn(given: CustomResourceDefinition | DefinedKind): CustomResourceDefinition {
  return "definition" in given ? given.definition : given
}

/**
 * Applies definitions of custom resources, on the server, and waits until their kinds are served. Throws INVALID with the words of the server for one that
 * it refuses: its schema, or a rule that does not compile.
 */
export async function applyDefinitions(
  client: Pick<Client, "apply" | "resources" | "watch">,
  crds: readonly (CustomResourceDefinition | DefinedKind)[],
  { clock, fieldManager, signal, dryRun = false }: ApplyDefinitionsOptions,
): Promise<void> {
  const definitions = crds.map(definitionIn)
  for (const definition of definitions) {
    await client.apply(customResourceDefinitions, definition, { fieldManager, force: true, signal }).catch((error: unknown) => {
      if (statusErrorIn(error) === undefined) throw error
      const { name } = definition.metadata
      throw new PilothouseError("INVALID", `expected the server to accept the definition ${name}, found: ${messageOf(error)}`, {
        cause: error,
      })
    })
  }
  if (dryRun) return
  for (const { metadata } of definitions) await untilEstablished(client, metadata.name ?? "", { clock, signal })
}

/** How long to wait for a definition. */
export interface EstablishedOptions {
  readonly clock: Clock
  /** 30 s by default. */
  readonly timeout?: Duration
  readonly signal?: AbortSignal
}

type DefinitionReader = Pick<Client, "resources" | "watch">

/** Reports whether an object is a CustomResourceDefinition. */
export function isDefinition(object: Pick<KubeObject, "apiVersion" | "kind">): object is CustomResourceDefinition {
  return object.kind === customResourceDefinitions.kind && object.apiVersion.startsWith(`${customResourceDefinitions.group}/`)
}

/**
 * Waits until the server serves the kind of a CustomResourceDefinition: it is established, and discovery has its versions. Throws INVALID with the
 * reason of the condition when its names are refused or it is deleted, TIMEOUT with its conditions when the time is over.
 */
export async function untilEstablished(
  client: DefinitionReader,
  name: string,
  options: EstablishedOptions,
): Promise<CustomResourceDefinition> {
  const { clock, timeout = "30s", signal } = options
  let last: CustomResourceDefinition | undefined
  const error = () => new PilothouseError("TIMEOUT", `expected ${name} to be established within ${timeout}, found ${stateOf(last)}`)
  return withTimeout({ clock, timeout, name: `definition ${name}`, signal, error }, async (ending) => {
    const seen = (definition: CustomResourceDefinition) => {
      last = definition
    }
    const established = await watchUntilEstablished(client, name, seen, ending)
    while (!(await isDiscovered(client, established, ending)))
      await clock.sleep(discoveryInterval, { signal: ending, name: `${name} in discovery` })
    return established
  })
}

async function watchUntilEstablished(
  client: DefinitionReader,
  name: string,
  seen: (definition: CustomResourceDefinition) => void,
  signal: AbortSignal,
): Promise<CustomResourceDefinition> {
  // A server ends a watch when it likes: the next one begins with the definition as it is.
  for (;;) {
    for await (const event of await client.watch(customResourceDefinitions, { fieldSelector: `metadata.name=${name}`, signal })) {
      if (event.type === "DELETED") throw new PilothouseError("INVALID", `expected ${name} to be established, found that it was deleted`)
      if (event.type !== "ADDED" && event.type !== "MODIFIED") break
      seen(event.object)
      if (condition(event.object, "Established")?.status === "True") return event.object
      refuseNames(event.object)
    }
  }
}

function refuseNames(definition: CustomResourceDefinition): void {
  if (condition(definition, "NamesAccepted")?.status !== "False") return
  throw new PilothouseError(
    "INVALID",
    `expected ${definition.metadata.name} to be established, found ${stateOf(definition)}; rename it, or delete the definition that has the name`,
  )
}

async function isDiscovered(client: DefinitionReader, { spec }: CustomResourceDefinition, signal: AbortSignal): Promise<boolean> {
  const resources = await client.resources({ signal })
  const has = (version: string) =>
    resources.some((of) => of.group === spec.group && of.version === version && of.plural === spec.names.plural)
  return spec.versions.filter(({ served }) => served).every((version) => has(version.name))
}

function condition({ status }: CustomResourceDefinition, type: string): CustomResourceDefinitionCondition | undefined {
  return status?.conditions?.find((one) => one.type === type)
}

/** "NamesAccepted False, PluralConflict: "widgets" is already in use": the conditions that are not true. */
function stateOf(definition: CustomResourceDefinition | undefined): string {
  if (definition === undefined) return "no such definition"
  const untrue = ["NamesAccepted", "Established"]
    .flatMap((type) => condition(definition, type) ?? [])
    .filter(({ status }) => status !== "True")
  if (untrue.length === 0) return "no conditions in its status"
  return untrue.map(({ type, status, reason, message }) => `${type} ${status}, ${reason}: ${message}`).join("; ")
}
