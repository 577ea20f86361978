// Written by `npm run generate` (tools/generate/xds).
export const xdsDescriptor = {
  envoy: {nested: {
    service: {nested: {
      discovery: {nested: {
        v3: {nested: {
          DiscoveryRequest: {"fields":{"versionInfo":{"type":"string","id":1},"node":{"type":".envoy.config.core.v3.Node","id":2},"resourceNames":{"rule":"repeated","type":"string","id":3},"typeUrl":{"type":"string","id":4},"responseNonce":{"type":"string","id":5},"errorDetail":{"type":".google.rpc.Status","id":6}}},
          DiscoveryResponse: {"fields":{"versionInfo":{"type":"string","id":1},"resources":{"rule":"repeated","type":".google.protobuf.Any","id":2},"typeUrl":{"type":"string","id":4},"nonce":{"type":"string","id":5},"controlPlane":{"type":".envoy.config.core.v3.ControlPlane","id":6}}},
          DeltaDiscoveryRequest: {"fields":{"node":{"type":".envoy.config.core.v3.Node","id":1},"typeUrl":{"type":"string","id":2},"resourceNamesSubscribe":{"rule":"repeated","type":"string","id":3},"resourceNamesUnsubscribe":{"rule":"repeated","type":"string","id":4},"initialResourceVersions":{"keyType":"string","type":"string","id":5},"responseNonce":{"type":"string","id":6},"errorDetail":{"type":".google.rpc.Status","id":7}}},
          DeltaDiscoveryResponse: {"fields":{"systemVersionInfo":{"type":"string","id":1},"resources":{"rule":"repeated","type":".envoy.service.discovery.v3.Resource","id":2},"typeUrl":{"type":"string","id":4},"removedResources":{"rule":"repeated","type":"string","id":6},"nonce":{"type":"string","id":5},"controlPlane":{"type":".envoy.config.core.v3.ControlPlane","id":7}}},
          Resource: {"fields":{"name":{"type":"string","id":3},"version":{"type":"string","id":1},"resource":{"type":".google.protobuf.Any","id":2},"ttl":{"type":".google.protobuf.Duration","id":6}}},
        }},
      }},
    }},
    config: {nested: {
      core: {nested: {
        v3: {nested: {
          Node: {"oneofs":{"userAgentVersionType":{"oneof":["userAgentVersion"]}},"fields":{"id":{"type":"string","id":1},"cluster":{"type":"string","id":2},"metadata":{"type":".google.protobuf.Struct","id":3},"locality":{"type":".envoy.config.core.v3.Locality","id":4},"userAgentName":{"type":"string","id":6},"userAgentVersion":{"type":"string","id":7},"clientFeatures":{"rule":"repeated","type":"string","id":10}}},
          ControlPlane: {"fields":{"identifier":{"type":"string","id":1}}},
          Locality: {"fields":{"region":{"type":"string","id":1},"zone":{"type":"string","id":2},"subZone":{"type":"string","id":3}}},
          Metadata: {"fields":{"filterMetadata":{"keyType":"string","type":".google.protobuf.Struct","id":1}}},
          Address: {"oneofs":{"address":{"oneof":["socketAddress"]}},"fields":{"socketAddress":{"type":".envoy.config.core.v3.SocketAddress","id":1}}},
          SocketAddress: {"oneofs":{"portSpecifier":{"oneof":["portValue"]}},"fields":{"address":{"type":"string","id":2},"portValue":{"type":"uint32","id":3}}},
          ConfigSource: {"oneofs":{"configSourceSpecifier":{"oneof":["ads"]}},"fields":{"ads":{"type":".envoy.config.core.v3.AggregatedConfigSource","id":3},"initialFetchTimeout":{"type":".google.protobuf.Duration","id":4},"resourceApiVersion":{"type":".envoy.config.core.v3.ApiVersion","id":6}}},
          AggregatedConfigSource: {"fields":{}},
          Http2ProtocolOptions: {"fields":{}},
          ApiVersion: {"values":{"AUTO":0,"V2":1,"V3":2}},
          HealthStatus: {"values":{"UNKNOWN":0,"HEALTHY":1,"UNHEALTHY":2,"DRAINING":3,"TIMEOUT":4,"DEGRADED":5}},
          TrafficDirection: {"values":{"UNSPECIFIED":0,"INBOUND":1,"OUTBOUND":2}},
        }},
      }},
      cluster: {nested: {
        v3: {nested: {
          Cluster: {"oneofs":{"clusterDiscoveryType":{"oneof":["type"]}},"fields":{"name":{"type":"string","id":1},"type":{"type":".envoy.config.cluster.v3.Cluster.DiscoveryType","id":2},"edsClusterConfig":{"type":".envoy.config.cluster.v3.Cluster.EdsClusterConfig","id":3},"connectTimeout":{"type":".google.protobuf.Duration","id":4},"lbPolicy":{"type":".envoy.config.cluster.v3.Cluster.LbPolicy","id":6},"loadAssignment":{"type":".envoy.config.endpoint.v3.ClusterLoadAssignment","id":33},"commonLbConfig":{"type":".envoy.config.cluster.v3.Cluster.CommonLbConfig","id":27},"typedExtensionProtocolOptions":{"keyType":"string","type":".google.protobuf.Any","id":36},"respectDnsTtl":{"type":"bool","id":39},"dnsLookupFamily":{"type":".envoy.config.cluster.v3.Cluster.DnsLookupFamily","id":17},"metadata":{"type":".envoy.config.core.v3.Metadata","id":25}},nested: {
            EdsClusterConfig: {"fields":{"edsConfig":{"type":".envoy.config.core.v3.ConfigSource","id":1},"serviceName":{"type":"string","id":2}}},
            CommonLbConfig: {"fields":{"healthyPanicThreshold":{"type":".envoy.type.v3.Percent","id":1}}},
            DiscoveryType: {"values":{"STATIC":0,"STRICT_DNS":1,"LOGICAL_DNS":2,"EDS":3,"ORIGINAL_DST":4}},
            LbPolicy: {"values":{"ROUND_ROBIN":0,"LEAST_REQUEST":1,"RING_HASH":2,"RANDOM":3,"MAGLEV":5,"CLUSTER_PROVIDED":6,"LOAD_BALANCING_POLICY_CONFIG":7}},
            DnsLookupFamily: {"values":{"AUTO":0,"V4_ONLY":1,"V6_ONLY":2,"V4_PREFERRED":3,"ALL":4}},
          }},
        }},
      }},
      endpoint: {nested: {
        v3: {nested: {
          ClusterLoadAssignment: {"fields":{"clusterName":{"type":"string","id":1},"endpoints":{"rule":"repeated","type":".envoy.config.endpoint.v3.LocalityLbEndpoints","id":2}}},
          LocalityLbEndpoints: {"fields":{"locality":{"type":".envoy.config.core.v3.Locality","id":1},"lbEndpoints":{"rule":"repeated","type":".envoy.config.endpoint.v3.LbEndpoint","id":2},"loadBalancingWeight":{"type":".google.protobuf.UInt32Value","id":3},"priority":{"type":"uint32","id":5}}},
          LbEndpoint: {"oneofs":{"hostIdentifier":{"oneof":["endpoint"]}},"fields":{"endpoint":{"type":".envoy.config.endpoint.v3.Endpoint","id":1},"healthStatus":{"type":".envoy.config.core.v3.HealthStatus","id":2},"metadata":{"type":".envoy.config.core.v3.Metadata","id":3},"loadBalancingWeight":{"type":".google.protobuf.UInt32Value","id":4}}},
          Endpoint: {"fields":{"address":{"type":".envoy.config.core.v3.Address","id":1},"additionalAddresses":{"rule":"repeated","type":".envoy.config.endpoint.v3.Endpoint.AdditionalAddress","id":4}},nested: {
            AdditionalAddress: {"fields":{"address":{"type":".envoy.config.core.v3.Address","id":1}}},
          }},
        }},
      }},
      listener: {nested: {
        v3: {nested: {
          Listener: {"fields":{"name":{"type":"string","id":1},"address":{"type":".envoy.config.core.v3.Address","id":2},"filterChains":{"rule":"repeated","type":".envoy.config.listener.v3.FilterChain","id":3},"useOriginalDst":{"type":".google.protobuf.BoolValue","id":4},"bindToPort":{"type":".google.protobuf.BoolValue","id":26},"apiListener":{"type":".envoy.config.listener.v3.ApiListener","id":19},"trafficDirection":{"type":".envoy.config.core.v3.TrafficDirection","id":16}}},
          ApiListener: {"fields":{"apiListener":{"type":".google.protobuf.Any","id":1}}},
          FilterChain: {"fields":{"filters":{"rule":"repeated","type":".envoy.config.listener.v3.Filter","id":3}}},
          Filter: {"oneofs":{"configType":{"oneof":["typedConfig"]}},"fields":{"name":{"type":"string","id":1},"typedConfig":{"type":".google.protobuf.Any","id":4}}},
        }},
      }},
      route: {nested: {
        v3: {nested: {
          RouteConfiguration: {"fields":{"name":{"type":"string","id":1},"virtualHosts":{"rule":"repeated","type":".envoy.config.route.v3.VirtualHost","id":2},"validateClusters":{"type":".google.protobuf.BoolValue","id":7}}},
          VirtualHost: {"fields":{"name":{"type":"string","id":1},"domains":{"rule":"repeated","type":"string","id":2},"routes":{"rule":"repeated","type":".envoy.config.route.v3.Route","id":3}}},
          Route: {"oneofs":{"action":{"oneof":["route","directResponse"]}},"fields":{"name":{"type":"string","id":14},"match":{"type":".envoy.config.route.v3.RouteMatch","id":1},"route":{"type":".envoy.config.route.v3.RouteAction","id":2},"directResponse":{"type":".envoy.config.route.v3.DirectResponseAction","id":7}}},
          RouteMatch: {"oneofs":{"pathSpecifier":{"oneof":["prefix"]}},"fields":{"prefix":{"type":"string","id":1}}},
          RouteAction: {"oneofs":{"clusterSpecifier":{"oneof":["cluster"]}},"fields":{"cluster":{"type":"string","id":1},"timeout":{"type":".google.protobuf.Duration","id":8},"retryPolicy":{"type":".envoy.config.route.v3.RetryPolicy","id":9}}},
          RetryPolicy: {"fields":{"retryOn":{"type":"string","id":1},"numRetries":{"type":".google.protobuf.UInt32Value","id":2}}},
          DirectResponseAction: {"fields":{"status":{"type":"uint32","id":1}}},
        }},
      }},
    }},
    type: {nested: {
      v3: {nested: {
        Percent: {"fields":{"value":{"type":"double","id":1}}},
      }},
    }},
    extensions: {nested: {
      upstreams: {nested: {
        http: {nested: {
          v3: {nested: {
            HttpProtocolOptions: {"oneofs":{"upstreamProtocolOptions":{"oneof":["explicitHttpConfig"]}},"fields":{"explicitHttpConfig":{"type":".envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig","id":3}},nested: {
              ExplicitHttpConfig: {"oneofs":{"protocolConfig":{"oneof":["http2ProtocolOptions"]}},"fields":{"http2ProtocolOptions":{"type":".envoy.config.core.v3.Http2ProtocolOptions","id":2}}},
            }},
          }},
        }},
      }},
      filters: {nested: {
        network: {nested: {
          http_connection_manager: {nested: {
            v3: {nested: {
              HttpConnectionManager: {"oneofs":{"routeSpecifier":{"oneof":["rds"]}},"fields":{"statPrefix":{"type":"string","id":2},"rds":{"type":".envoy.extensions.filters.network.http_connection_manager.v3.Rds","id":3},"httpFilters":{"rule":"repeated","type":".envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter","id":5},"upgradeConfigs":{"rule":"repeated","type":".envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.UpgradeConfig","id":23}},nested: {
                UpgradeConfig: {"fields":{"upgradeType":{"type":"string","id":1}}},
              }},
              Rds: {"fields":{"configSource":{"type":".envoy.config.core.v3.ConfigSource","id":1},"routeConfigName":{"type":"string","id":2}}},
              HttpFilter: {"oneofs":{"configType":{"oneof":["typedConfig"]}},"fields":{"name":{"type":"string","id":1},"typedConfig":{"type":".google.protobuf.Any","id":4}}},
            }},
          }},
          tcp_proxy: {nested: {
            v3: {nested: {
              TcpProxy: {"oneofs":{"clusterSpecifier":{"oneof":["cluster"]}},"fields":{"statPrefix":{"type":"string","id":1},"cluster":{"type":"string","id":2}}},
            }},
          }},
        }},
        http: {nested: {
          router: {nested: {
            v3: {nested: {
              Router: {"fields":{}},
            }},
          }},
        }},
      }},
    }},
  }},
  google: {nested: {
    rpc: {nested: {
      Status: {"fields":{"code":{"type":"int32","id":1},"message":{"type":"string","id":2}}},
    }},
    protobuf: {nested: {
      Any: {"fields":{"typeUrl":{"type":"string","id":1},"value":{"type":"bytes","id":2}}},
      Struct: {"fields":{"fields":{"keyType":"string","type":".google.protobuf.Value","id":1}}},
      Value: {"oneofs":{"kind":{"oneof":["nullValue","numberValue","stringValue","boolValue","structValue","listValue"]}},"fields":{"nullValue":{"type":".google.protobuf.NullValue","id":1},"numberValue":{"type":"double","id":2},"stringValue":{"type":"string","id":3},"boolValue":{"type":"bool","id":4},"structValue":{"type":".google.protobuf.Struct","id":5},"listValue":{"type":".google.protobuf.ListValue","id":6}}},
      ListValue: {"fields":{"values":{"rule":"repeated","type":".google.protobuf.Value","id":1}}},
      Duration: {"fields":{"seconds":{"type":"int64","id":1},"nanos":{"type":"int32","id":2}}},
      UInt32Value: {"fields":{"value":{"type":"uint32","id":1}}},
      BoolValue: {"fields":{"value":{"type":"bool","id":1}}},
      NullValue: {"values":{"NULL_VALUE":0}},
    }},
  }},
}
