// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const ingressClasses: Descriptor<IngressClass> = descriptorFromRow("networking.k8s.io/v1 IngressClass ingressclasses ingressclass   c cdDglpuw")
export const ingresses: Descriptor<Ingress> = descriptorFromRow("networking.k8s.io/v1 Ingress ingresses ingress ing  n cdDglpuw status::gpu")
export const ipAddresses: Descriptor<IPAddress> = descriptorFromRow("networking.k8s.io/v1 IPAddress ipaddresses ipaddress ip  c cdDglpuw")
export const networkPolicies: Descriptor<NetworkPolicy> = descriptorFromRow("networking.k8s.io/v1 NetworkPolicy networkpolicies networkpolicy netpol  n cdDglpuw")
export const serviceCIDRs: Descriptor<ServiceCIDR> = descriptorFromRow("networking.k8s.io/v1 ServiceCIDR servicecidrs servicecidr   c cdDglpuw status::gpu")
