import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startWebhookServer } from "../admission/webhook-server.ts"

/** A right that was needed: what an authorizer was asked for, be it for a request or by an admission plugin. */
export interface NeededRight {
  readonly user: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

interface AccessReview {
  readonly spec?: {
    readonly user?: string
    readonly resourceAttributes?: Partial<Omit<NeededRight, "user">>
  }
}

/** An authorizer without an opinion, that stands before RBAC and keeps what it was asked about accounts of kube-system. */
export interface Recorder extends AsyncDisposable {
  /** The value of --authorization-config. */
  readonly configuration: string
  needed(): readonly NeededRight[]
}

/**
 * The audit log has requests alone; what admission plugins ask (`escalate`, `sign`, `…/finalizers`) comes by here only, so the record is an
 * authorizer's.
 */
export async function startRecorder(directory: string): Promise<Recorder> {
  const noOpinion = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", status: { allowed: false } }
  const server = await startWebhookServer(new Map([["reviews", () => ({ body: JSON.stringify(noOpinion) })]]))
  const configuration = join(directory, "authorization.yaml")
  const kubeconfig = join(directory, "recorder.kubeconfig")
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(server.port, server.ca)))
  writeFileSync(configuration, JSON.stringify(configurationOf(kubeconfig)))
  return {
    configuration,
    needed: () =>
      (server.reviews("/reviews") as readonly AccessReview[]).flatMap(({ spec }) => {
        const { verb = "", group = "", resource = "", subresource = "", name = "" } = spec?.resourceAttributes ?? {}
        return resource === "" ? [] : [{ user: spec?.user ?? "", verb, group, resource, subresource, name }]
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function kubeconfigOf(port: number, ca: string): object {
  const cluster = { server: `https://127.0.0.1:${port}/reviews`, "certificate-authority-data": Buffer.from(ca).toString("base64") }
  const context = { cluster: "recorder", user: "server" }
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "recorder", cluster }],
    users: [{ name: "server", user: {} }],
    contexts: [{ name: "recorder", context }],
    "current-context": "recorder",
  }
}

function configurationOf(kubeConfigFile: string): object {
  const webhook = {
    authorizedTTL: "1h",
    unauthorizedTTL: "1h",
    timeout: "10s",
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
    matchConditions: [{ expression: "request.user.startsWith('system:serviceaccount:kube-system:')" }],
  }
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers: [
      { type: "Webhook", name: "recorder", webhook },
      { type: "RBAC", name: "rbac" },
    ],
  }
}
