import type { KeyAndCertificate } from "./certificates.ts"

/** How extension servers know that it is this server that names the user of a request. */
export interface FrontProxy {
  /** The client certificate of the moment. */
  client(): KeyAndCertificate | undefined
  /** The authority of that certificate (PEM). */
  readonly ca: string
  /** Common names that the certificate may have; any where there are none. */
  readonly allowedNames: readonly string[]
  /** The headers that name the user; upstream's by default. */
  readonly headers?: RequestHeaders
}

/** Names of headers, as the ConfigMap extension-apiserver-authentication lists them. */
export interface RequestHeaders {
  readonly username: readonly string[]
  readonly uid: readonly string[]
  readonly group: readonly string[]
  readonly extraPrefix: readonly string[]
}

const defaultHeaders: RequestHeaders = {
  username: ["X-Remote-User"],
  uid: ["X-Remote-Uid"],
  group: ["X-Remote-Group"],
  extraPrefix: ["X-Remote-Extra-"],
}

/** Returns what the ConfigMap says of it. */
export function requestHeaderData({ ca, allowedNames, headers = defaultHeaders }: FrontProxy): Readonly<Record<string, string>> {
  return {
    "requestheader-allowed-names": JSON.stringify(allowedNames),
    "requestheader-client-ca-file": ca,
    "requestheader-extra-headers-prefix": JSON.stringify(headers.extraPrefix),
    "requestheader-group-headers": JSON.stringify(headers.group),
    "requestheader-uid-headers": JSON.stringify(headers.uid),
    "requestheader-username-headers": JSON.stringify(headers.username),
  }
}
