import type { ConfigurationSeams, ConfiguredAuthorizer } from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { fileOf } from "../certificates/pem-files.ts"
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

/** Whether authorizers decide on anonymous clients. As upstream, they read what is public alone where everything is allowed; all else is Unauthorized. */
export function authorizesAnonymous(authorizers: readonly ConfiguredAuthorizer[] | undefined): boolean {
  return authorizers?.includes("AlwaysAllow") === false
}

/** Returns the authorizers that flags name, in their order; undefined where every authenticated user may do everything. */
export async function authorizersOf(
  flags: ApiServerFlags,
  seams: Pick<Seams, "clock" | "files" | "log" | "random">,
  opened: AsyncDisposableStack,
): Promise<readonly ConfiguredAuthorizer[] | undefined> {
  const { authorizationMode: modes, authorizationConfig } = flags
  if (authorizationConfig === undefined && modes?.includes("Webhook") !== true) return authorizationModesOf(modes)
  const configuration = authorizationConfig === undefined ? webhookConfiguration(flags) : await configurationIn(flags, seams)
  const [{ configuredAuthorizers }, { defaultTransport }] = await Promise.all([
    import("@pilothouse/apiserver"),
    import("@pilothouse/runtime"),
  ])
  const connect: ConfigurationSeams["connect"] = async (kubeconfig) => {
    const { transport } = opened.use(await defaultTransport({ kubeconfig, clock: seams.clock, files: seams.files }))
    // The address of the kubeconfig has the path.
    return { transport, path: "" }
  }
  try {
    return await configuredAuthorizers(configuration, { ...seams, connect })
  } catch (error) {
    throw new PilothouseError("USAGE", `${authorizationConfig ?? "--authorization-webhook-config-file"}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

async function configurationIn(flags: AuthorizationFlags, { files }: Pick<Seams, "files">): Promise<unknown> {
  const { authorizationConfig = "", authorizationMode, authorizationWebhookConfigFile } = flags
  if (authorizationMode !== undefined || authorizationWebhookConfigFile !== undefined) {
    const others = "--authorization-mode or --authorization-webhook-* flags"
    throw new PilothouseError("USAGE", `--authorization-config can not be specified when ${others} are defined`)
  }
  const text = fileOf(files, "--authorization-config", authorizationConfig)
  const { parse } = await import("yaml")
  try {
    // Aliases would multiply what is read.
    return parse(text, { maxAliasCount: 0 })
  } catch (error) {
    throw new PilothouseError("USAGE", `expected YAML in ${authorizationConfig}, found something else (${messageOf(error)})`, {
      cause: error,
    })
  }
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
