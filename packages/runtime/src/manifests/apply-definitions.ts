import { statusErrorIn } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import { untilEstablished } from "./established.ts"

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
