import type { EmbeddedKnobs } from "./knobs.ts"
import type { Routes } from "./routes.ts"

const self = (href: string) => [{ rel: "self", href }]

/** What clients of others ask first, without a token: which versions there are, and where. */
export const keystoneVersions: Routes = {
  "GET /": () => ({ status: 300, value: { versions: { values: [identity] } } }),
  "GET /v3": () => ({ status: 200, value: { version: identity } }),
}

const identity = {
  id: "v3.14",
  status: "stable",
  updated: "2020-04-07T00:00:00Z",
  links: self("http://keystone.embedded/v3/"),
  "media-types": [{ base: "application/json", type: "application/vnd.openstack.identity-v3+json" }],
}

export const neutronVersions: Routes = {
  "GET /": () => ({
    status: 200,
    value: { versions: [{ id: "v2.0", status: "CURRENT", links: self("http://neutron.embedded/v2.0/") }] },
  }),
}

export const novaVersions: Routes = {
  "GET /": () => ({
    status: 200,
    value: {
      versions: [{ id: "v2.1", status: "CURRENT", version: "2.90", min_version: "2.1", links: self("http://nova.embedded/v2.1/") }],
    },
  }),
}

/** Returns the version document of Octavia up to the configured minor version. */
export function octaviaVersions(knobs: EmbeddedKnobs): Routes {
  return {
    "GET /": () => ({
      status: 200,
      value: {
        versions: Array.from({ length: knobs.octaviaMinor + 1 }, (_, minor) => ({
          id: `v2.${minor}`,
          status: minor === knobs.octaviaMinor ? "CURRENT" : "SUPPORTED",
          updated: "2021-12-08T00:00:00Z",
          links: self("http://octavia.embedded/v2"),
        })),
      },
    }),
  }
}
