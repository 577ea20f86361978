import type { Client } from "@pilothouse/runtime"
import { isDefinition, type Manifest } from "@pilothouse/runtime/manifests"
import { PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { type Doomed, deleteAll, isConnectionLost, type Unknown } from "../client/delete-objects.ts"
import { findAsked, refuseNonsense } from "../client/find-resource.ts"
import { namespaceIn, type Place } from "../client/place.ts"
import { labelSelector } from "../flags/flag-values.ts"
import { kustomizeOption } from "../flags/kubectl-hints.ts"
import { manifestsOf } from "./apply.ts"

interface DeleteOptions extends ConnectionOptions {
  readonly filename?: readonly string[]
  readonly selector?: string
  readonly all?: boolean
  readonly wait: boolean
  readonly ignoreNotFound?: boolean
}

export function addDeleteCommand(program: Command): void {
  addConnectionOptions(program.command("delete [resource...]"))
    .description("delete objects and wait until they are gone")
    .option("-f, --filename <path...>", "the objects of files, directories, or - for standard input")
    .addOption(kustomizeOption("delete"))
    .option("-l, --selector <labels>", "those with these labels", labelSelector("--selector"))
    .option("--all", "all of them in the namespace")
    .option("--no-wait", "do not wait until they are gone")
    .option("--ignore-not-found", "one that is not there is no error")
    .action(async (words: string[], options: DeleteOptions) => {
      refuseContradictions(words, options)
      const manifests = options.filename === undefined ? undefined : await manifestsOf(options.filename)
      await using connection = await openConnection(options)
      const { client, namespace } = connection
      const place = { namespace, isAsked: options.namespace !== undefined }
      const found = await (manifests === undefined
        ? findDoomed(client, words, { ...options, namespace })
        : doomedOf(client, manifests, place))
      await deleteAll(client, found, options, (line) => process.stdout.write(`${line}\n`))
    })
}

/** Finds the objects that the words and selectors of `delete` name. Throws USAGE where names and selectors are combined. */
export async function findDoomed(
  client: Client,
  words: readonly string[],
  options: DeleteOptions & { readonly namespace: string },
): Promise<readonly (Doomed | Unknown)[]> {
  refuseContradictions(words, options)
  const asked = await findAsked(client, words)
  if ((options.all || options.selector !== undefined) && asked.some(({ names }) => names.length > 0))
    throw contradiction(`names or ${options.all ? "--all" : "--selector"}`)
  const found = await Promise.all(
    asked.map(async ({ of, names }) => {
      const namespace = of.namespaced ? options.namespace : undefined
      if (names.length > 0) return names.map((name) => ({ of, name, namespace }))
      const items = await Array.fromAsync(client.listAll(of, { namespace, labelSelector: options.selector }))
      return items.map(({ metadata }) => ({ of, name: metadata.name ?? "", namespace: metadata.namespace, isListed: true }))
    }),
  )
  return found.flat()
}

/** As kubectl: what could be meant in two ways deletes nothing. */
function refuseContradictions(words: readonly string[], { filename, all, selector }: Partial<DeleteOptions>): void {
  if (all && selector !== undefined) throw contradiction("--all or --selector")
  if (filename === undefined) return refuseAllOfAKind(words, all === true || selector !== undefined)
  if (words.length > 0) throw contradiction("--filename or resources")
  if (all || selector !== undefined) throw contradiction(`--filename or ${all ? "--all" : "--selector"}`)
}

/** A kind alone would be all of them: that has to be said. */
function refuseAllOfAKind(words: readonly string[], isChosen: boolean): void {
  refuseNonsense(words)
  const [kinds = "", ...names] = words
  if (isChosen || names.length > 0 || kinds.includes("/")) return
  throw new PilothouseError("USAGE", `expected a name, --selector or --all to say which ${kinds} to delete, found none of them`)
}

function contradiction(either: string): PilothouseError {
  return new PilothouseError("USAGE", `expected ${either}, found both; nothing was deleted`)
}

/**
 * Returns the objects to delete. A kind that the server does not have does not keep the others from being deleted. CustomResourceDefinitions come last: with one of them its objects go, and those
 * that are asked for after it would not be found.
 */
export function doomedOf(client: Client, manifests: readonly Manifest[], place: Place): Promise<readonly (Doomed | Unknown)[]> {
  return Promise.all(
    manifests
      .toSorted((a, b) => Number(isDefinition(a.object)) - Number(isDefinition(b.object)))
      .map(async ({ object: { apiVersion, kind, metadata }, from }) => {
        const { name } = metadata
        if (name === undefined)
          return { from, error: new PilothouseError("USAGE", "expected metadata.name to say which to delete, found none") }
        try {
          const of = await client.forKind(apiVersion, kind)
          return { from, of, name, namespace: of.namespaced ? namespaceIn(place, { metadata }) : undefined }
        } catch (error) {
          // No server was asked: no other object would get further.
          if (isConnectionLost(error)) throw error
          return { from, error }
        }
      }),
  )
}
