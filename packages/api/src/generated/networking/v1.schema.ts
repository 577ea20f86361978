// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `networking.k8s.io/v1 io.k8s.api.networking.v1
HTTPIngressPath: backend*:IngressBackend= path:s pathType*:s<Exact|ImplementationSpecific|Prefix>
HTTPIngressRuleValue: paths*:[HTTPIngressPath
IPAddress: @ metadata:.ObjectMeta= spec*:IPAddressSpec=
IPAddressList: @ items*:]IPAddress metadata:.ListMeta=
IPAddressSpec: parentRef*:ParentReference
IPBlock: cidr*:s= except:[s
Ingress: @ metadata:.ObjectMeta= spec:IngressSpec= status:IngressStatus=
IngressBackend: resource:core/v1.TypedLocalObjectReference service:IngressServiceBackend
IngressClass: @ metadata:.ObjectMeta= spec:IngressClassSpec=
IngressClassList: @ items*:]IngressClass metadata:.ListMeta=
IngressClassParametersReference: apiGroup:s kind*:s= name*:s= namespace:s scope:s
IngressClassSpec: controller:s parameters:IngressClassParametersReference
IngressList: @ items*:]Ingress metadata:.ListMeta=
IngressLoadBalancerIngress: hostname:s ip:s ports:[IngressPortStatus
IngressLoadBalancerStatus: ingress:[IngressLoadBalancerIngress
IngressPortStatus: error:s port*:i= protocol*:s<SCTP|TCP|UDP>=
IngressRule: host:s http:HTTPIngressRuleValue
IngressServiceBackend: name*:s= port:ServiceBackendPort=
IngressSpec: defaultBackend:IngressBackend ingressClassName:s rules:[IngressRule tls:[IngressTLS
IngressStatus: loadBalancer:IngressLoadBalancerStatus=
IngressTLS: hosts:[s secretName:s
NetworkPolicy: @ metadata:.ObjectMeta= spec:NetworkPolicySpec=
NetworkPolicyEgressRule: ports:[NetworkPolicyPort to:[NetworkPolicyPeer
NetworkPolicyIngressRule: from:[NetworkPolicyPeer ports:[NetworkPolicyPort
NetworkPolicyList: @ items*:]NetworkPolicy metadata:.ListMeta=
NetworkPolicyPeer: ipBlock:IPBlock namespaceSelector:.LabelSelector podSelector:.LabelSelector
NetworkPolicyPort: endPort:i port:o protocol:s<SCTP|TCP|UDP>
NetworkPolicySpec: egress:[NetworkPolicyEgressRule ingress:[NetworkPolicyIngressRule podSelector:.LabelSelector= policyTypes:[s<Egress|Ingress>
ParentReference: group:s name*:s namespace:s resource*:s
ServiceBackendPort: ! name:s number:i
ServiceCIDR: @ metadata:.ObjectMeta= spec:ServiceCIDRSpec= status:ServiceCIDRStatus=
ServiceCIDRList: @ items*:]ServiceCIDR metadata:.ListMeta=
ServiceCIDRSpec: cidrs:[s
ServiceCIDRStatus: conditions:(type).Condition&merge:type
`
