import {
  abortable,
  type Clock,
  type Dial,
  type DialedServer,
  type HeaderMap,
  PilothouseError,
  type Random,
  type TransportRequest,
} from "@pilothouse/seams"
import type { Identity } from "../../authentication/identity.ts"
import type { KeyAndCertificate } from "../../certificates/certificates.ts"
import { proxiedAnswer, type StreamedAnswer } from "../../proxy/streamed-answer.ts"
import type { Registry } from "../../registry/registry.ts"
import type { RemoteApiService } from "../../server/aggregation.ts"
import type { Storage } from "../../storage/storage.ts"
import { endpointOf } from "../../webhook-client/webhook-address.ts"
import { identityHeaders } from "./identity-headers.ts"

/** What of a server its extension servers are called with. */
export interface ExtensionCaller {
  readonly storage: Storage
  readonly registry: Registry
  readonly clock: Clock
  readonly random: Random
  /** Undefined where the server was given no network. */
  readonly dial: Dial | undefined
  /** By this certificate extension servers know that it is this server that names the user. Undefined where it was given none. */
  readonly frontProxy: () => KeyAndCertificate | undefined
}

/** Returns "<address>:<port>" of a ready endpoint of the Service; throws where there is none. */
export function extensionEndpoint(caller: ExtensionCaller, { spec }: RemoteApiService): string {
  const { namespace = "", name = "", port = 443 } = spec.service
  return endpointOf(caller, namespace, name, port)
}

/** Sends a request to an endpoint of an extension server in the name of a user. Headers of the request that name one are replaced. */
export async function sendToExtension(
  caller: ExtensionCaller,
  { remote, endpoint, user }: { readonly remote: RemoteApiService; readonly endpoint: string; readonly user: Identity },
  request: TransportRequest,
): Promise<StreamedAnswer> {
  if (caller.dial === undefined) throw new PilothouseError("CONNECTION_LOST", "this server has no way to a network")
  const headers: HeaderMap = { ...request.headers, host: endpoint, ...identityHeaders(user) }
  const response = await abortable(caller.dial(serverOf(caller, remote, endpoint))({ ...request, headers }), request.signal)
  return proxiedAnswer(response)
}

function serverOf({ frontProxy }: ExtensionCaller, { spec }: RemoteApiService, endpoint: string): DialedServer {
  const { caBundle = "", insecureSkipTLSVerify = false, service } = spec
  return {
    server: `https://${endpoint}`,
    serverName: `${service.name}.${service.namespace}.svc`,
    ...(insecureSkipTLSVerify && { insecure: true }),
    ...(caBundle !== "" && { caBundle: Buffer.from(caBundle, "base64").toString() }),
    ...frontProxy(),
    streams: true,
  }
}
