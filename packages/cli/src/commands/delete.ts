import { type Descriptor, isNotFound, keyOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { findAsked, refuseNonsense, shownName } from "../client/find-resource.ts"
import { readManifests } from "../client/read-manifests.ts"
import { labelSelector } from "../flag-values.ts"
import { readStandardInput } from "./apply.ts"

interface DeleteOptions extends ConnectionOptions {
  readonly filename?: readonly string[]
  readonly selector?: string
  readonly all?: boolean
  readonly wait: boolean
  readonly ignoreNotFound?: boolean
}

interface Doomed {
  readonly of: Descriptor
  readonly name: string
  readonly namespace: string | undefined
}

/** Milliseconds between two looks whether an object has gone. */
const lookAgain = 50

export function addDeleteCommand(program: Command): void {
  addConnectionOptions(program.command("delete [resource...]"))
    .description("delete objects and wait until they are gone: delete deploy/web, delete pods -l app=web, delete -f web.yaml")
    .option("-f, --filename <path...>", "the objects of files, directories, or - for standard input")
    .option("-l, --selector <labels>", "those with these labels", labelSelector("--selector"))
    .option("--all", "all of them in the namespace")
    .option("--no-wait", "do not wait until they are gone")
    .option("--ignore-not-found", "one that is not there is no error")
    .action(async (words: string[], options: DeleteOptions) => {
      refuseContradictions(words, options)
      await using connection = await openConnection(options)
      const doomed = await findDoomed(connection.client, words, { ...options, namespace: connection.namespace })
      await deleteAll(connection.client, doomed, options, (line) => process.stdout.write(`${line}\n`))
    })
}

export async function findDoomed(
  client: Client,
  words: readonly string[],
  options: DeleteOptions & { readonly namespace: string },
): Promise<readonly Doomed[]> {
  refuseContradictions(words, options)
  if (options.filename !== undefined) return fromFiles(client, options.filename, options.namespace)
  const asked = await findAsked(client, words)
  if ((options.all || options.selector !== undefined) && asked.some(({ names }) => names.length > 0))
    throw contradiction(`names or ${options.all ? "--all" : "--selector"}`)
  const found = await Promise.all(
    asked.map(async ({ of, names }) => {
      const namespace = of.namespaced ? options.namespace : undefined
      if (names.length > 0) return names.map((name) => ({ of, name, namespace }))
      const items = await Array.fromAsync(client.listAll(of, { namespace, labelSelector: options.selector }))
      return items.map(({ metadata }) => ({ of, name: metadata.name ?? "", namespace: metadata.namespace }))
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

async function fromFiles(client: Client, paths: readonly string[], namespace: string): Promise<readonly Doomed[]> {
  const manifests = paths.flatMap((path) => readManifests(systemFiles, path, readStandardInput))
  return Promise.all(
    manifests.map(async ({ object: { apiVersion, kind, metadata } }) => {
      const of = await client.forKind(apiVersion, kind)
      return { of, name: metadata.name ?? "", namespace: of.namespaced ? (metadata.namespace ?? namespace) : undefined }
    }),
  )
}

export async function deleteAll(
  client: Client,
  doomed: readonly Doomed[],
  options: DeleteOptions,
  say: (line: string) => void,
): Promise<void> {
  if (doomed.length === 0) say("No resources found")
  for (const { of, name, namespace } of doomed) {
    try {
      await client.delete(of, keyOf({ metadata: { name, namespace } }), { propagationPolicy: "Background" })
      say(`${shownName(of, name)} deleted`)
    } catch (error) {
      if (!(isNotFound(error) && options.ignoreNotFound)) throw error
    }
  }
  if (options.wait) await Promise.all(doomed.map((one) => untilGone(client, one)))
}

async function untilGone(client: Client, { of, name, namespace }: Doomed): Promise<void> {
  const key = keyOf({ metadata: { name, namespace } })
  const before = await uidOf(client, of, key)
  if (before === undefined) return
  while ((await uidOf(client, of, key)) === before) await systemClock.sleep(lookAgain, { name: `${name} goes` })
}

async function uidOf(client: Client, of: Descriptor, key: string): Promise<string | undefined> {
  try {
    return (await client.get(of, key)).metadata.uid
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
