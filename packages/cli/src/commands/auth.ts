import { type Descriptor, isForbidden, isNotFound } from "@pilothouse/api"
import { type SelfSubjectReview, selfSubjectReviews } from "@pilothouse/api/authentication/v1"
import {
  type SelfSubjectAccessReview,
  type SelfSubjectRulesReview,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
} from "@pilothouse/api/authorization/v1"
import { type Client, createClient } from "@pilothouse/runtime"
import { PilothouseError, type Transport } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { accessTable, userTable } from "../client/access-tables.ts"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { findAsked } from "../client/find-resource.ts"

interface Impersonation {
  readonly as?: string
  readonly asGroup?: readonly string[]
}

export interface CanIOptions extends Impersonation {
  readonly list?: boolean
  readonly allNamespaces?: boolean
  readonly subresource?: string
  readonly quiet?: boolean
  readonly headers?: boolean
}

export function addAuthCommand(program: Command): void {
  const auth = program.command("auth").description("which requests are allowed, and to which user")
  addImpersonation(addConnectionOptions(auth.command("can-i [verb] [resource]")))
    .description("whether a request is allowed")
    .option("--list", "all that is allowed in the namespace")
    .option("-A, --all-namespaces", "in every namespace")
    .option("--subresource <name>", "of the resource: log, scale")
    .option("-q, --quiet", "print nothing: the exit code is the answer")
    .option("--no-headers", "with --list, without the line of titles")
    .action(async (verb: string | undefined, resource: string | undefined, options: CanIOptions & ConnectionOptions) => {
      refuseContradictions(verb, resource, options)
      await using connection = await openConnection(options)
      const client = impersonating(connection.transport, options)
      const print = (text: string) => void process.stdout.write(text)
      const warn = (text: string) => void process.stderr.write(`Warning: ${text}\n`)
      if (options.list) return print(await allowedList(client, connection.namespace, options, warn))
      const namespace = options.allNamespaces ? "" : connection.namespace
      const answer = await canI(client, { verb: verb!, resource: resource!, namespace, subresource: options.subresource }, warn)
      if (!options.quiet) print(answer.text)
      if (!answer.allowed) process.exitCode = 1
    })
  addImpersonation(addConnectionOptions(auth.command("whoami")))
    .description("the user that the server takes the client for, and its groups")
    .action(async (options: Impersonation & ConnectionOptions) => {
      await using connection = await openConnection(options)
      process.stdout.write(await whoAmI(impersonating(connection.transport, options)))
    })
}

function addImpersonation(command: Command): Command {
  return command
    .option("--as <user>", "as another user: system:serviceaccount:NAMESPACE:NAME for a service account")
    .option("--as-group <name...>", "in these groups; with --as")
}

/** Requests of another user, where the user of the kubeconfig may impersonate it. */
function impersonating(transport: Transport, { as, asGroup = [] }: Impersonation): Client {
  if (as === undefined && asGroup.length > 0) {
    throw new PilothouseError("USAGE", "expected --as with --as-group, found --as-group alone; name the user too")
  }
  const headers = as === undefined ? {} : { "impersonate-user": as, ...(asGroup.length > 0 && { "impersonate-group": asGroup }) }
  const sent: Transport = (request) => transport({ ...request, headers: { ...request.headers, ...headers } })
  return createClient(sent, { userAgent: "pilothouse-cli", clock: systemClock })
}

/** Throws for flags that contradict each other, in kubectl's words. */
export function refuseContradictions(verb: string | undefined, resource: string | undefined, options: CanIOptions): void {
  const { list, quiet, allNamespaces, subresource, headers = true } = options
  const refused = (why: string) => new PilothouseError("USAGE", why)
  if (list) {
    if (verb !== undefined) throw refused("list option must be specified with no arguments")
    if (quiet || allNamespaces || subresource !== undefined) {
      throw refused("list option can't be specified with neither quiet, all-namespaces nor subresource options")
    }
    return
  }
  if (verb === undefined || resource === undefined) {
    throw refused(
      "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'pilothouse auth can-i -h' for help and examples.",
    )
  }
  if (resource.startsWith("/") && subresource !== undefined) throw refused("--subresource can not be used with NonResourceURL")
  if (!headers) throw refused("--no-headers cannot be set without --list specified")
}

const resourceVerbs: ReadonlySet<string> = new Set(
  "get list watch create update patch delete deletecollection use bind impersonate * approve sign escalate attest".split(" "),
)
const pathVerbs: ReadonlySet<string> = new Set("get put post head options delete patch *".split(" "))
/** Resources of impersonation, which discovery does not list. */
const undiscovered: readonly string[] = ["users", "groups"]

interface Question {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly subresource?: string | undefined
}

type Warn = (text: string) => void

/** Asks the server whether the client may do something. */
export async function canI(client: Client, question: Question, warn: Warn): Promise<{ readonly allowed: boolean; readonly text: string }> {
  const { verb, resource: path } = question
  const isPath = path.startsWith("/")
  const spec = isPath ? { nonResourceAttributes: { verb, path } } : { resourceAttributes: await attributesOf(client, question, warn) }
  if (!(isPath ? pathVerbs : resourceVerbs).has(verb)) warn(`verb '${verb}' is not a known verb`)
  const review = (await client.create(selfSubjectAccessReviews, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec,
  })) as SelfSubjectAccessReview
  const { allowed = false, reason = "", evaluationError = "" } = review.status ?? {}
  const why = [reason, evaluationError].filter((text) => text !== "").map((text) => ` - ${text}`)
  return { allowed, text: allowed ? "yes\n" : `no${why.join("")}\n` }
}

async function attributesOf(client: Client, { verb, resource, namespace, subresource }: Question, warn: Warn) {
  const [word = "", name] = resource.split(/\/(.*)/s)
  const attributes = { verb, namespace, ...(name !== undefined && { name }), ...(subresource !== undefined && { subresource }) }
  if (word === "*") return { ...attributes, group: "", resource: "*" }
  const found = await resourceFor(client, word)
  if (found === undefined) {
    const [plural, ...group] = word.toLowerCase().split(".")
    const place = group.length === 0 ? "" : ` in group '${group.join(".")}'`
    if (!undiscovered.includes(word)) warn(`the server doesn't have a resource type '${plural}'${place}`)
    return { ...attributes, resource: word }
  }
  const { group, plural, namespaced } = found
  if (!namespaced && namespace !== "") warn(`resource '${plural}' is not namespace scoped${group === "" ? "" : ` in group '${group}'`}`)
  return { ...attributes, group, resource: plural }
}

async function resourceFor(client: Client, word: string): Promise<Descriptor | undefined> {
  try {
    return (await findAsked(client, [word]))[0]?.of
  } catch (error) {
    if (error instanceof PilothouseError && error.code === "USAGE") return undefined
    throw error
  }
}

/** Returns the table of all that the user may do in a namespace, by SelfSubjectRulesReview. */
export async function allowedList(client: Client, namespace: string, { headers = true }: CanIOptions, warn: Warn): Promise<string> {
  const review = (await client.create(selfSubjectRulesReviews, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    metadata: {},
    spec: { namespace },
  })) as SelfSubjectRulesReview
  const { status } = review
  if (status?.incomplete) warn(`the list may be incomplete: ${status.evaluationError ?? ""}`)
  return accessTable(status?.resourceRules ?? [], status?.nonResourceRules ?? [], { headers })
}

/** Returns the table of the user's name, groups and extra fields, as the server authenticated the request. */
export async function whoAmI(client: Client): Promise<string> {
  try {
    const { status } = (await client.create(selfSubjectReviews, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
      metadata: {},
    })) as SelfSubjectReview
    return userTable(status?.userInfo ?? {})
  } catch (error) {
    const missing = "the selfsubjectreviews API is not enabled in the cluster"
    if (isForbidden(error)) throw new PilothouseError("STATUS", `${missing} or you do not have permission to call it`, { cause: error })
    if (isNotFound(error)) throw new PilothouseError("STATUS", missing, { cause: error })
    throw error
  }
}
