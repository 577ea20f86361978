import { deepEqual } from "@pilothouse/api"
import {
  type Service as KubeService,
  type Namespace,
  type Node,
  namespaces,
  nodes,
  type Pod,
  pods,
  services,
} from "@pilothouse/api/core/v1"
import { podsByNode } from "@pilothouse/runtime"
import type { NetworkGateway } from "../../model/network-gateway.ts"
import type { Service } from "../../model/service.ts"
import { Subscribers } from "../../registry/subscribers.ts"
import type { Surroundings } from "../convert/judge.ts"
import { type ConversionOptions, conversionOptions, type KubeRegistryOptions } from "../convert/options.ts"
import { sharing } from "../convert/sharing.ts"
import { EndpointIndex } from "../index/endpoint-index.ts"
import { EndpointsWithoutPod } from "../index/endpoints-without-pod.ts"
import { NamespaceSelection } from "../index/namespace-selection.ts"
import { PodCache } from "../index/pod-cache.ts"
import { ServiceIndex } from "../index/service-index.ts"
import { type EndpointSources, endpointSources } from "../informer/endpoint-sources.ts"
import { MultiNamespaceInformer } from "../informer/multi-namespace-informer.ts"
import { nodeForm, podForm } from "../informer/read-fields.ts"
import { RegistryMetrics } from "../informer/registry-metrics.ts"
import { sameLabelsAndAnnotations, sameNode, samePod } from "../informer/relevant.ts"
import { strippedNode, strippedPod } from "../informer/stripped.ts"
import { GatewayDns } from "../networks/gateway-dns.ts"
import { gatewaysChanged } from "../networks/gateways.ts"
import { Networks } from "../networks/networks.ts"
import { Identities } from "./identities.ts"
import { WorkloadInstances } from "./workload-instances.ts"

/** What is kept of a Service beside its model. */
export interface ServiceDetails {
  readonly dualStack: boolean
  /** Where its ports lead: a change of that alone is news too. */
  readonly targetPorts: readonly unknown[]
}

/** What a registry of one cluster knows. Handlers write it, one at a time; queries read it. */
export class RegistryState {
  readonly options: KubeRegistryOptions
  readonly conversion: ConversionOptions
  readonly metrics: RegistryMetrics
  readonly subscribers: Subscribers
  readonly services = new ServiceIndex()
  readonly endpoints = new EndpointIndex()
  /** Workloads that are no pods. */
  readonly instances = new WorkloadInstances()
  readonly podCache: PodCache
  readonly selection: NamespaceSelection
  readonly networks: Networks
  readonly waiting = new EndpointsWithoutPod()
  /** By hostname. */
  readonly details = new Map<string, ServiceDetails>()
  readonly identities = new Identities()
  /** By the hostname of the service that they are. */
  readonly gateways = new Map<string, readonly NetworkGateway[]>()
  /** Of gateways. */
  readonly names: GatewayDns
  /** Services that are gateways at the addresses of nodes. */
  readonly atNodes = new Set<string>()
  /** When the endpoints of a service last changed, in milliseconds since 1970. */
  readonly changed = new Map<string, number>()
  /** Where nodes are: "region/zone/subzone". */
  readonly nodePlaces = new Map<string, string>()
  /** What was last announced of the pods that have an address. */
  readonly workloads = new Map<string, Pod["metadata"]>()
  /** Sources that went through their handler: only those have to be looked at again when something else changes. */
  readonly handled = new Set<string>()
  readonly watched: {
    readonly services: MultiNamespaceInformer<KubeService>
    readonly pods: MultiNamespaceInformer<Pod>
    readonly nodes: MultiNamespaceInformer<Node>
    readonly namespaces: MultiNamespaceInformer<Namespace>
  }
  readonly sources: EndpointSources
  /** Of what endpoints are made of. */
  readonly #share = sharing()

  constructor(options: KubeRegistryOptions) {
    this.options = options
    this.conversion = conversionOptions(options)
    const { cluster, network } = this.conversion
    this.metrics = new RegistryMetrics(options.metrics, cluster)
    this.subscribers = new Subscribers(options.log)
    this.podCache = new PodCache(this.conversion.pods)
    this.selection = new NamespaceSelection(options.discoverySelectors, options.leaveOut)
    this.networks = new Networks({ cluster, network, log: options.log })
    const { resolve, clock, log } = options
    this.names = new GatewayDns({ resolve, clock, log, changed: () => this.subscribers.configUpdate(gatewaysChanged) })
    const share = sharing()
    this.watched = {
      services: new MultiNamespaceInformer(options, { of: services, kind: "Services", equal: deepEqual }),
      pods: new MultiNamespaceInformer(options, {
        of: pods,
        kind: "Pods",
        equal: samePod,
        transform: (pod) => strippedPod(pod, share),
        form: podForm(),
        indexes: [podsByNode],
        fieldSelector: "status.phase!=Failed",
      }),
      nodes: new MultiNamespaceInformer(options, { of: nodes, kind: "Nodes", equal: sameNode, transform: strippedNode, form: nodeForm() }),
      namespaces: new MultiNamespaceInformer(options, { of: namespaces, kind: "Namespaces", equal: sameLabelsAndAnnotations }),
    }
    this.sources = endpointSources(options)
  }

  /** What is known around the endpoints of a service. */
  surroundings(service: Service): Surroundings {
    const { watched, podCache, networks } = this
    return {
      service,
      dualStack: this.details.get(service.hostname)?.dualStack ?? false,
      options: this.conversion,
      pod: (key) => watched.pods.get(key),
      podAt: (address, namespace) => {
        const key = podCache.at(address).find((one) => one.startsWith(`${namespace}/`))
        return key === undefined ? undefined : watched.pods.get(key)
      },
      node: (name) => watched.nodes.get(name),
      networkOf: (address, pod) => networks.of(address, pod),
      share: this.#share,
    }
  }

  /** Looks at sources again, those that were looked at before. */
  again(sources: Iterable<string>): void {
    for (const key of sources) if (this.handled.has(key)) this.sources.watched.again(key)
  }
}
