import type { ConfiguredAuthorizer } from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { fileOf } from "../certificates/pem-files.ts"
import { connectReviewServer } from "./review-server.ts"
import type { ApiServerFlags, Seams } from "./start.ts"
import { authorizationModesOf } from "./warnings.ts"

/** Flags that describe one webhook, in place of a configuration. */
export interface AuthorizationFlags {
  readonly authorizationMode?: readonly string[]
  readonly authorizationConfig?: string
  readonly authorizationWebhookConfigFile?: string
  readonly authorizationWebhookVersion?: string
  /** Milliseconds. */
  readonly authorizationWebhookCacheAuthorizedTtl?: number
  readonly authorizationWebhookCacheUnauthorizedTtl?: number
}

/**
 * Reports whether authorizers decide on anonymous clients. As upstream, they read what is public alone where everything is allowed; all else is
 * Unauthorized.
 */
export function authorizesAnonymous(authorizers: readonly ConfiguredAuthorizer[] | undefined): boolean {
  return authorizers?.includes("AlwaysAllow") === false
}

/** Authorizers in their order. Disposing closes the connections to webhooks. */
export interface OpenedAuthorizers extends AsyncDisposable {
  /** Undefined where every authenticated user may do everything. */
  readonly modes: readonly ConfiguredAuthorizer[] | undefined
  /** The text of --authorization-config, which is followed while the server runs. */
  readonly text?: string
  /** What the text says. */
  readonly configuration?: unknown
}

type Needed = Pick<Seams, "clock" | "files" | "log" | "random">

/** Returns the authorizers that flags name. */
export async function authorizersOf(flags: ApiServerFlags, seams: Needed): Promise<OpenedAuthorizers> {
  const { authorizationMode: modes, authorizationConfig } = flags
  if (authorizationConfig !== undefined) return configuredBy(flags, seams)
  if (modes?.includes("Webhook") !== true) return { modes: authorizationModesOf(modes), [Symbol.asyncDispose]: async () => {} }
  return usageErrors("--authorization-webhook-config-file", () => openAuthorizers(webhookConfiguration(flags), seams))
}

function configuredBy(flags: ApiServerFlags, seams: Needed): Promise<OpenedAuthorizers> {
  const { authorizationConfig = "", authorizationMode, authorizationWebhookConfigFile } = flags
  if (authorizationMode !== undefined || authorizationWebhookConfigFile !== undefined) {
    const others = "--authorization-mode or --authorization-webhook-* flags"
    throw new PilothouseError("USAGE", `--authorization-config can not be specified when ${others} are defined`)
  }
  const text = fileOf(seams.files, "--authorization-config", authorizationConfig)
  return usageErrors(authorizationConfig, () => readAuthorizers(text, seams))
}

async function usageErrors<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw new PilothouseError("USAGE", `${what}: ${messageOf(error)}`, { cause: error })
  }
}

/** Returns the authorizers of an AuthorizationConfiguration. Throws all that is wrong with it. */
export async function readAuthorizers(text: string, seams: Needed): Promise<OpenedAuthorizers> {
  const { parse } = await import("yaml")
  let value: unknown
  try {
    // Aliases would multiply what is read.
    value = parse(text, { maxAliasCount: 0 })
  } catch (error) {
    throw new PilothouseError("INVALID", `expected YAML, found something else (${messageOf(error)})`, { cause: error })
  }
  return { ...(await openAuthorizers(value, seams)), text, configuration: value }
}

async function openAuthorizers(configuration: unknown, seams: Needed): Promise<OpenedAuthorizers> {
  await using opening = new AsyncDisposableStack()
  const { configuredAuthorizers } = await import("./configured-authorizers.ts")
  const connect = async (file: string) => opening.use(await connectReviewServer(file, seams)).server
  const modes = await configuredAuthorizers(configuration, { ...seams, connect })
  const opened = opening.move()
  return { modes, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const seconds = (milliseconds: number) => `${milliseconds / 1000}s`

function webhookConfiguration(flags: AuthorizationFlags): unknown {
  const { authorizationMode = [], authorizationWebhookConfigFile: kubeConfigFile } = flags
  if (kubeConfigFile === undefined) throw new PilothouseError("USAGE", "authorization-mode Webhook's authorization config file not passed")
  const webhook = {
    authorizedTTL: seconds(flags.authorizationWebhookCacheAuthorizedTtl ?? 300_000),
    unauthorizedTTL: seconds(flags.authorizationWebhookCacheUnauthorizedTtl ?? 30_000),
    timeout: "30s",
    subjectAccessReviewVersion: flags.authorizationWebhookVersion ?? "v1beta1",
    failurePolicy: "NoOpinion",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
  }
  const authorizers = authorizationMode.map((type) => ({ type, name: type.toLowerCase(), ...(type === "Webhook" && { webhook }) }))
  return { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers }
}
