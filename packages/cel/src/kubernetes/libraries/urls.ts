import { unitCost } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import { fail } from "../../values/value.ts"
import { countParsing } from "../../values/work.ts"
import { textTraversalCost } from "./costs.ts"
import { parseUrl, type Url } from "./url.ts"
import { requestUrlFault } from "./url-parts.ts"

function url(text: string): Url {
  const parsed = parseUrl(text)
  return typeof parsed === "string" ? fail(`URL parse error during conversion from string: ${parsed}`) : parsed
}

const example = "url('https://user@example.com:8443/a%20b/c?x=1&x=2')"

/** Kubernetes' URLs: `url('https://example.com').getHost()`. */
export const urlLibrary: Library = {
  name: "kubernetes.urls",
  overloads: defineOverloads([
    {
      id: "string_to_url",
      name: "url",
      function: "(string) -> kubernetes.URL",
      evaluate: url,
      cost: textTraversalCost,
      example: "url('/path') == url('/path')",
      failure: ["url('path').getHost()", 'URL parse error during conversion from string: parse "path": invalid URI for request'],
    },
    {
      id: "url_get_scheme",
      name: "getScheme",
      method: "(kubernetes.URL) -> string",
      evaluate: ({ scheme }: Url) => scheme,
      cost: unitCost,
      example: `${example}.getScheme() == 'https'`,
    },
    {
      id: "url_get_host",
      name: "getHost",
      method: "(kubernetes.URL) -> string",
      evaluate: ({ host }: Url) => host,
      cost: unitCost,
      example: `${example}.getHost() == 'example.com:8443'`,
    },
    {
      id: "url_get_hostname",
      name: "getHostname",
      method: "(kubernetes.URL) -> string",
      evaluate: ({ hostname }: Url) => hostname,
      cost: unitCost,
      example: `${example}.getHostname() == 'example.com' && url('https://[::1]:80').getHostname() == '::1'`,
    },
    {
      id: "url_get_port",
      name: "getPort",
      method: "(kubernetes.URL) -> string",
      evaluate: ({ port }: Url) => port,
      cost: unitCost,
      example: `${example}.getPort() == '8443'`,
    },
    {
      id: "url_get_escaped_path",
      name: "getEscapedPath",
      method: "(kubernetes.URL) -> string",
      evaluate: ({ path }: Url) => path,
      cost: unitCost,
      example: `${example}.getEscapedPath() == '/a%20b/c'`,
    },
    {
      id: "url_get_query",
      name: "getQuery",
      method: "(kubernetes.URL) -> map(string, list(string))",
      evaluate: (parsed: Url) => parsed.query(),
      cost: unitCost,
      example: `${example}.getQuery() == {'x': ['1', '2']}`,
    },
    {
      id: "is_url_string",
      name: "isURL",
      function: "(string) -> bool",
      evaluate(text: string) {
        countParsing(text.length)
        return requestUrlFault(text) === undefined
      },
      cost: unitCost,
      example: "isURL('https://example.com') && !isURL('example.com')",
    },
  ]),
}

/** Kubernetes' functions for JSON patches. */
export const jsonPatchLibrary: Library = {
  name: "kubernetes.jsonpatch",
  overloads: defineOverloads([
    {
      id: "string_jsonpatch_escapeKey_string",
      name: "jsonpatch.escapeKey",
      function: "(string) -> string",
      evaluate: (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
      cost: textTraversalCost,
      example: "jsonpatch.escapeKey('a/b~c') == 'a~1b~0c'",
    },
  ]),
}
