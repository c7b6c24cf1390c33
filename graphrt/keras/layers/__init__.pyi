# Written by tests/stubs.py from the files of graphrt/keras/layers.
from graphrt.keras.layers.activation import (
    Activation as Activation, ActivityRegularization as ActivityRegularization, ELU as ELU, LeakyReLU as LeakyReLU,
    PReLU as PReLU, ReLU as ReLU, Softmax as Softmax
)
from graphrt.keras.layers.attention import (
    AdditiveAttention as AdditiveAttention, Attention as Attention, MultiHeadAttention as MultiHeadAttention
)
from graphrt.keras.layers.base import (
    InputSpec as InputSpec, Layer as Layer
)
from graphrt.keras.layers.cells import (
    GRUCell as GRUCell, LSTMCell as LSTMCell, SimpleRNNCell as SimpleRNNCell, StackedRNNCells as StackedRNNCells
)
from graphrt.keras.layers.conv_lstm import (
    ConvLSTM1D as ConvLSTM1D, ConvLSTM2D as ConvLSTM2D, ConvLSTM3D as ConvLSTM3D
)
from graphrt.keras.layers.convolution import (
    Conv1D as Conv1D, Conv1DTranspose as Conv1DTranspose, Conv2D as Conv2D, Conv2DTranspose as Conv2DTranspose,
    Conv3D as Conv3D, Conv3DTranspose as Conv3DTranspose, Convolution1D as Convolution1D,
    Convolution1DTranspose as Convolution1DTranspose, Convolution2D as Convolution2D,
    Convolution2DTranspose as Convolution2DTranspose, Convolution3D as Convolution3D,
    Convolution3DTranspose as Convolution3DTranspose, DepthwiseConv1D as DepthwiseConv1D,
    DepthwiseConv2D as DepthwiseConv2D, SeparableConv1D as SeparableConv1D, SeparableConv2D as SeparableConv2D,
    SeparableConvolution1D as SeparableConvolution1D, SeparableConvolution2D as SeparableConvolution2D
)
from graphrt.keras.layers.core import (
    Dense as Dense, EinsumDense as EinsumDense, Embedding as Embedding, Identity as Identity, Input as Input,
    InputLayer as InputLayer, Lambda as Lambda, Masking as Masking, Wrapper as Wrapper
)
from graphrt.keras.layers.lookup import (
    IntegerLookup as IntegerLookup, StringLookup as StringLookup
)
from graphrt.keras.layers.merging import (
    Add as Add, Average as Average, Concatenate as Concatenate, Dot as Dot, Maximum as Maximum, Minimum as Minimum,
    Multiply as Multiply, Subtract as Subtract, add as add, average as average, concatenate as concatenate,
    dot as dot, maximum as maximum, minimum as minimum, multiply as multiply, subtract as subtract
)
from graphrt.keras.layers.noise import (
    AlphaDropout as AlphaDropout, Dropout as Dropout, GaussianDropout as GaussianDropout,
    GaussianNoise as GaussianNoise, SpatialDropout1D as SpatialDropout1D, SpatialDropout2D as SpatialDropout2D,
    SpatialDropout3D as SpatialDropout3D
)
from graphrt.keras.layers.normalization import (
    BatchNormalization as BatchNormalization, GroupNormalization as GroupNormalization,
    LayerNormalization as LayerNormalization, RMSNormalization as RMSNormalization,
    UnitNormalization as UnitNormalization
)
from graphrt.keras.layers.pooling import (
    AveragePooling1D as AveragePooling1D, AveragePooling2D as AveragePooling2D, AveragePooling3D as AveragePooling3D,
    AvgPool1D as AvgPool1D, AvgPool2D as AvgPool2D, AvgPool3D as AvgPool3D,
    GlobalAveragePooling1D as GlobalAveragePooling1D, GlobalAveragePooling2D as GlobalAveragePooling2D,
    GlobalAveragePooling3D as GlobalAveragePooling3D, GlobalAvgPool1D as GlobalAvgPool1D,
    GlobalAvgPool2D as GlobalAvgPool2D, GlobalAvgPool3D as GlobalAvgPool3D, GlobalMaxPool1D as GlobalMaxPool1D,
    GlobalMaxPool2D as GlobalMaxPool2D, GlobalMaxPool3D as GlobalMaxPool3D, GlobalMaxPooling1D as GlobalMaxPooling1D,
    GlobalMaxPooling2D as GlobalMaxPooling2D, GlobalMaxPooling3D as GlobalMaxPooling3D, MaxPool1D as MaxPool1D,
    MaxPool2D as MaxPool2D, MaxPool3D as MaxPool3D, MaxPooling1D as MaxPooling1D, MaxPooling2D as MaxPooling2D,
    MaxPooling3D as MaxPooling3D
)
from graphrt.keras.layers.preprocessing import (
    CategoryEncoding as CategoryEncoding, CenterCrop as CenterCrop, Discretization as Discretization,
    Normalization as Normalization, Rescaling as Rescaling, Resizing as Resizing
)
from graphrt.keras.layers.recurrent import (
    Bidirectional as Bidirectional, GRU as GRU, LSTM as LSTM, RNN as RNN, SimpleRNN as SimpleRNN,
    TimeDistributed as TimeDistributed
)
from graphrt.keras.layers.reshaping import (
    Cropping1D as Cropping1D, Cropping2D as Cropping2D, Cropping3D as Cropping3D, Flatten as Flatten,
    Permute as Permute, RepeatVector as RepeatVector, Reshape as Reshape, UpSampling1D as UpSampling1D,
    UpSampling2D as UpSampling2D, UpSampling3D as UpSampling3D, ZeroPadding1D as ZeroPadding1D,
    ZeroPadding2D as ZeroPadding2D, ZeroPadding3D as ZeroPadding3D
)
from graphrt.keras.layers.text_vectorization import (
    TextVectorization as TextVectorization
)
from graphrt.keras.layer_classes import deserialize as deserialize

def serialize(layer: Layer) -> dict[str, object]: ...

__all__ = [
    "Activation",
    "ActivityRegularization",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "CategoryEncoding",
    "CenterCrop",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Convolution3D",
    "Convolution3DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Discretization",
    "Dot",
    "Dropout",
    "ELU",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRU",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "Identity",
    "Input",
    "InputLayer",
    "InputSpec",
    "IntegerLookup",
    "LSTM",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "RNN",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "Resizing",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "StackedRNNCells",
    "StringLookup",
    "Subtract",
    "TextVectorization",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "Wrapper",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
    "add",
    "average",
    "concatenate",
    "deserialize",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "serialize",
    "subtract",
]
